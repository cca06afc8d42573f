import { abort, Response, redirect, type SecurityRequirements, WSGIController } from 'propylon'
import { findPage, listPages, type Page } from '../model/pages.ts'
import type { User } from '../model/users.ts'
import { currentUser } from './current-user.ts'

/** The challenge for programs. Browsers are sent to the login page instead. */
export const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="wiki", charset="UTF-8"' }

/** Credentials of a user in the API document: a password, or the cookie of the session. */
export const SIGNED_IN: SecurityRequirements = [{ basic: [] }, { session: [] }]

/** Pages in one part of a list. */
const LIST_SIZE = 50

/** Base class of the controllers. Its methods begin with an underscore, so no URL reaches them. */
export class BaseController extends WSGIController {
  static security: SecurityRequirements | Readonly<Record<string, SecurityRequirements>> = {
    '*': [{}, ...SIGNED_IN],
    create: SIGNED_IN,
    update: SIGNED_IN,
    delete: SIGNED_IN,
  }

  /** The user who is signed in. Templates have it as `it.c.user`. */
  user: User | undefined
  /** Whether everybody may send forms, such as the login form. */
  _isOpen = false

  async __before__(): Promise<void> {
    // A text over the limit of the wiki is 400, with the form. Only what is far beyond is 413.
    this.request.limits = { body: 4 * 2 ** 20, field: 4 * 2 ** 20 }
    this.user = await currentUser(this.request, this.session)
    this.c.user = this.user
    const isReading = ['GET', 'HEAD'].includes(this.request.method)
    if (!isReading && !this._isOpen) this._requireUser()
  }

  /**
   * Returns the user.
   *
   * @throws HTTPException - no user is signed in: a browser is sent to the login page, a program receives 401.
   */
  _requireUser(): User {
    if (this.user !== undefined) return this.user
    if (!this._isBrowser) abort(401, 'Sign in, or send credentials by HTTP Basic.', CHALLENGE)
    return redirect(this.url('login', {}, { query: { next: this.request.pathAndQuery } }), 303)
  }

  /** @throws HTTPException - the user is not an admin. */
  _requireAdmin(): void {
    if (this._requireUser().role !== 'admin') abort(403, 'Only admins may do this.')
  }

  /** Signs a user in. The session gets a new id, so that a client that knows the old one does not share it. */
  _signIn({ name, stamp }: User): void {
    this.session.regenerate().set('user', name).set('stamp', stamp)
  }

  /** Whether the client is a browser: one that accepts HTML by name. */
  get _isBrowser(): boolean {
    return this.request.header('accept')?.includes('text/html') ?? false
  }

  /** Returns the page with a title, or ends the request with 404. */
  async _findPage(title: string): Promise<Page> {
    const page = await findPage(title)
    if (page !== undefined) return page
    this.c.missing = title
    return abort(404, 'There is no page with this title.')
  }

  /** Returns a part of a list of pages, with links to its neighbours for programs and templates. */
  async _listPages(page: number, words?: readonly string[]) {
    const list = await listPages({ page, size: LIST_SIZE, response: this.response }, words)
    this.c.list = list
    const pages = list.items.map((each) => ({ ...each, link: this.url('page', { title: each.title }) }))
    return { pages, total: list.total }
  }

  /** Answers a request that has changed something: a browser goes on to another page with a message. */
  _done(location: string, notice: string): Response {
    if (!this._isBrowser) return new Response(null, { status: 204 })
    this.session.flash('notice', notice)
    return redirect(location, 303)
  }
}
