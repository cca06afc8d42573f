import { createHash } from 'node:crypto'
import { redirect } from 'propylon'
import { intBetween, optional } from 'propylon/converters'
import { decorate, formResult, invalid, validate } from 'propylon/decorators'
import { makeException } from 'propylon/http'
import { BaseController } from '../lib/base.ts'
import { changedPageFields, newPageFields } from '../lib/fields.ts'
import { renderMarkdown } from '../model/markdown.ts'
import { changePage, createPage, findPage, type Page, removePage } from '../model/pages.ts'

/** Lists, shows, creates, changes and deletes pages. */
export class PagesController extends BaseController {
  static args = { index: { page: optional(intBetween(1), 1) } }

  /** Before the fields of a change are checked, finds out whether there is such a page, and whether the preconditions hold. */
  override async __before__(title = '') {
    await super.__before__()
    if (this.request.method === 'PUT') this.#checkPreconditions(await this._findPage(title))
  }

  /** GET /: leads to the front page. url('home') */
  home() {
    redirect(this.url('page', { title: 'FrontPage' }))
  }

  /** GET /page: the pages by title. url('pages') */
  async index(page: number, format = 'html') {
    const list = await this._listPages(page)
    return format === 'json' ? this._listAsJson(list) : this.render('pages/index', { ...list })
  }

  /** GET /page/new: the form. url('new_page') */
  new() {
    const title = this.c.formValues?.title ?? this.request.query.get('title') ?? ''
    return this.render('pages/new', { title })
  }

  /** POST /page: creates a page. url('create_page') */
  async create(format = 'html') {
    const { title, content } = formResult(this, newPageFields)
    const location = this.url('page', { title })
    const page = await createPage({ title, content, author: this._requireUser().name })
    if (page === undefined) {
      invalid<typeof newPageFields>({ title: 'is taken' }, { status: 409, headers: { location } })
    }
    this.response.status = 201
    this.response.headers.set('location', location)
    return this.#represent(page, format)
  }

  /** GET /page/TITLE: the page. url('page', { title }) */
  async show(title: string, format = 'html') {
    const page = await this._findPage(title)
    const text = await this.#represent(page, format)
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

  /** PUT /page/TITLE: stores a new version. */
  async update(title: string, format = 'html') {
    const page = await this._findPage(title)
    const { content, version } = formResult(this, changedPageFields)
    if (version !== page.version) return this.#conflict(page, content)
    const changed = await changePage(page, content, this._requireUser().name)
    if (changed === undefined) return this.#conflict((await findPage(title)) ?? page, content)
    if (!this._isBrowser) return this.#represent(changed, format)
    const location = this.url('page', { title: page.title })
    return this._done(location, changed === page ? 'Nothing has changed.' : 'Saved.')
  }

  /** DELETE /page/TITLE: deletes a page with its history and files. */
  async delete(title: string) {
    this._requireAdmin()
    const page = await this._findPage(title)
    this.#checkPreconditions(page)
    if (!(await removePage(page))) throw makeException(409, 'The page has changed in the meantime.')
    return this._done(this.url('pages'), `Deleted “${page.title}”.`)
  }

  /** Returns a page as HTML or JSON. */
  async #represent(page: Page, format: string): Promise<string> {
    const { title, version, content, modified, author } = page
    const link = this.url('page', { title })
    const html = renderMarkdown(content, (other) => this.url('page', { title: other }))
    if (format !== 'json') return this.render('pages/show', { page, html })
    this.response.contentType = 'application/json'
    return JSON.stringify({ title, version, content, html, modified, author, link })
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

  static {
    decorate(this, {
      create: [validate(newPageFields, { form: 'new' })],
      update: [validate(changedPageFields, { form: 'edit' })],
    })
  }
}

/** Returns the beginning of the entity tags of a version. */
function tagOf({ id, version }: Page): string {
  return `${id}.${version}-`
}
