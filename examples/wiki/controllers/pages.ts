import { createHash } from 'node:crypto'
import { redirect } from 'propylon'
import { body, intBetween, optional } from 'propylon/converters'
import { invalid } from 'propylon/decorators'
import { makeException } from 'propylon/http'
import { BaseController } from '../lib/base.ts'
import { ChangedPage, NewPage } from '../lib/fields.ts'
import { PageListResult, PageResult } from '../lib/results.ts'
import { renderMarkdown } from '../model/markdown.ts'
import { changePage, createPage, findPage, type Page, removePage } from '../model/pages.ts'

/** Lists, shows, creates, changes and deletes pages. */
export class PagesController extends BaseController {
  static args = {
    index: { page: optional(intBetween(1), 1) },
    create: { fields: body(NewPage, { form: 'new' }) },
    update: { fields: body(ChangedPage, { form: 'edit' }) },
  }
  static results = {
    index: PageListResult,
    show: PageResult,
    create: PageResult,
    update: PageResult,
    delete: null,
  }
  static pages = { index: 'pages/index', create: 'pages/show', update: 'pages/show' }
  static statuses = { create: 201 }

  /** Before the fields of a change are checked, finds out whether there is such a page, and whether the preconditions hold. */
  override async __before__(title = '') {
    await super.__before__()
    if (this.request.method === 'PUT') this.#checkPreconditions(await this._findPage(title))
  }

  /** GET /: leads to the front page. url('home') */
  home() {
    redirect(this.url('page', { title: 'FrontPage' }))
  }

  /**
   * Lists pages by title, 50 to a page.
   *
   * @param page number of the part of the list, from 1
   * @throws HTTPNotFound - the list ends before this part.
   */
  index(page: number) {
    return this._listPages(page)
  }

  /** GET /page/new: the form. url('new_page') */
  new() {
    const title = this.c.formValues?.title ?? this.request.query.get('title') ?? ''
    return this.render('pages/new', { title })
  }

  /**
   * Creates a page.
   *
   * @throws HTTPConflict - there is a page with this title, at the URL in `Location`.
   */
  async create(fields: NewPage) {
    const location = this.url('page', { title: fields.title })
    const page = await createPage({ ...fields, author: this._requireUser().name })
    if (page === undefined) {
      invalid<typeof NewPage>({ title: 'is taken' }, { status: 409, headers: { location } })
    }
    this.response.headers.set('location', location)
    return this.#represent(page)
  }

  /**
   * Shows a page.
   *
   * @throws HTTPNotFound - there is no page with this title.
   * @throws HTTPPreconditionFailed - the page is another one than If-Match says.
   */
  async show(title: string, format = 'html') {
    const page = await this._findPage(title)
    const shown = this.#represent(page)
    const text = format === 'json' ? JSON.stringify(shown) : await this.render('pages/show', shown)
    if (format === 'json') this.response.contentType = 'application/json'
    // A hash of what is sent: the page shows who is signed in, and messages.
    const hash = createHash('sha256').update(`${this.user?.name}\n${text}`).digest('base64url').slice(0, 16)
    this.response.headers.set('cache-control', 'no-cache')
    this.fresh({ etag: tagOf(page) + hash, lastModified: new Date(page.modified) })
    return text
  }

  /** GET /page/TITLE;edit: the form. url('edit_page', { title }) */
  async edit(title: string) {
    const page = await this._findPage(title)
    return this.render('pages/edit', { page, values: this.c.formValues ?? page })
  }

  /**
   * Stores a new version of a page.
   *
   * @throws HTTPConflict - the page has another version. The problem has both texts: `current` and `yours`.
   * @throws HTTPPreconditionFailed - the page is another one than If-Match says.
   */
  async update(title: string, fields: ChangedPage) {
    const page = await this._findPage(title)
    const { content, version } = fields
    if (version !== page.version) return this.#conflict(page, content)
    const changed = await changePage(page, content, this._requireUser().name)
    if (changed === undefined) return this.#conflict((await findPage(title)) ?? page, content)
    if (!this._isBrowser) return this.#represent(changed)
    const location = this.url('page', { title: page.title })
    return this._done(location, changed === page ? 'Nothing has changed.' : 'Saved.')
  }

  /**
   * Deletes a page with its history and files. Only admins may.
   *
   * @throws HTTPConflict - the page has changed in the meantime.
   * @throws HTTPPreconditionFailed - the page is another one than If-Match says.
   */
  async delete(title: string) {
    this._requireAdmin()
    const page = await this._findPage(title)
    this.#checkPreconditions(page)
    if (!(await removePage(page))) throw makeException(409, 'The page has changed in the meantime.')
    return this._done(this.url('pages'), `Deleted “${page.title}”.`)
  }

  /** Returns a page as programs receive it. */
  #represent({ title, version, content, modified, author }: Page) {
    const html = renderMarkdown(content, (other) => this.url('page', { title: other }))
    return { title, version, content, html, modified, author, link: this.url('page', { title }) }
  }

  /** Ends a request whose If-Match, If-Unmodified-Since and so on do not fit. The tag of any format of a version fits it. */
  #checkPreconditions(page: Page): void {
    const { ifMatch, ifNoneMatch } = this.request
    const sent = [ifMatch, ifNoneMatch].flatMap((tags) => (tags === undefined || tags === '*' ? [] : tags))
    const etag = sent.find((tag) => tag.startsWith(`"${tagOf(page)}`)) ?? tagOf(page)
    this.fresh({ etag, lastModified: new Date(page.modified) })
  }

  /** Answers an edit of a version that is not the current one, with both texts. */
  async #conflict(page: Page, yours: string) {
    this.response.status = 409
    if (this._isBrowser) return this.render('pages/conflict', { page, yours })
    // All programs receive JSON: a text has no place for both.
    this.response.contentType = 'application/problem+json'
    const detail = `The current version is ${page.version}.`
    const current = page.content
    return JSON.stringify({ type: 'about:blank', title: 'Conflict', status: 409, detail, current, yours })
  }
}

/** Returns the beginning of the entity tags of a version. */
function tagOf({ id, version }: Page): string {
  return `${id}.${version}-`
}
