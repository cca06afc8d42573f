import { abort } from 'propylon'
import { int, optional, string } from 'propylon/converters'
import { Fault, RPCController } from 'propylon/rpc'
import * as v from 'valibot'
import { CHALLENGE } from '../lib/base.ts'
import { currentUser } from '../lib/current-user.ts'
import { NewPage } from '../lib/fields.ts'
import { renderMarkdown } from '../model/markdown.ts'
import { checkTitle } from '../model/page-rules.ts'
import { allTitles, changePage, createPage, findPage, findVersion, type Page, recentChanges } from '../model/pages.ts'

const PageStruct = v.object({
  title: v.string(),
  version: v.pipe(v.number(), v.integer()),
  content: v.string(),
  html: v.string(),
  modified: v.date(),
  author: v.string(),
})

const MISSING = 'There is no page with this title.'

/** The wiki for programs: XML-RPC, JSON-RPC, plain JSON, MCP and OpenAPI. */
export class RpcController extends RPCController {
  static faces = ['xmlrpc', 'jsonrpc', 'json', 'mcp', 'openapi']
  static override description = 'Reads and writes the pages of the wiki.'
  /** Reading needs no user. */
  static security = [{}, { basic: [] }, { session: [] }]
  static securitySchemes = { session: { type: 'apiKey', in: 'cookie', name: 'session' } }
  static args = {
    wiki_getPage: { title: string },
    wiki_getPageVersion: { title: string, version: int },
    wiki_getRecentChanges: { since: v.date() },
    wiki_putPage: { title: string, content: string, version: optional(int) },
  }
  static results = {
    wiki_getPage: PageStruct,
    wiki_getPageVersion: PageStruct,
    wiki_getAllPages: v.array(v.string()),
    wiki_getRecentChanges: v.array(v.omit(PageStruct, ['content', 'html'])),
    wiki_putPage: int,
  }

  /** Returns the current version of a page: title, version, content, html, modified and author. */
  async wiki_getPage(title: string) {
    return this.#struct(await this.#find(title))
  }

  /** Returns one version of a page. */
  async wiki_getPageVersion(title: string, version: number) {
    const page = await findVersion(await this.#find(title), version)
    return this.#struct(page ?? fail(404, `The page has no version ${version}.`))
  }

  /** Returns the titles of all pages. */
  async wiki_getAllPages() {
    return withTitlesForAll(await allTitles(), (title) => title)
  }

  /** Returns the changes since a time (UTC, if it names no zone), the newest first. */
  async wiki_getRecentChanges(since: Date) {
    const changes = await recentChanges(since)
    return withTitlesForAll(changes, ({ title }) => title).map(({ title, version, modified, author }) => {
      return { title, version, modified: new Date(modified), author }
    })
  }

  /**
   * Creates a page, or stores a new version. Needs a user. Returns the new version.
   *
   * @param version the version that was edited: a stale one is refused.
   */
  async wiki_putPage(title: string, content: string, version?: number): Promise<number> {
    const { request, session } = this
    const { name: author } = (await currentUser(request, session)) ?? abort(401, 'Send credentials.', CHALLENGE)
    const fields = v.safeParse(NewPage, { title, content })
    if (!fields.success) {
      fail(400, fields.issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`).join('; '))
    }
    const page = await findPage(title)
    if (version !== undefined && version !== page?.version) {
      page === undefined ? fail(404, MISSING) : fail(409, `The current version is ${page.version}.`)
    }
    const { output } = fields
    const stored = await (page ? changePage(page, output.content, author) : createPage({ ...output, author }))
    if (stored !== undefined) return stored.version
    // Another client was faster. Without a version the last client wins.
    return version === undefined ? this.wiki_putPage(title, content) : fail(409, 'The page has changed.')
  }

  async #find(title: string): Promise<Page> {
    return (await findPage(title)) ?? fail(404, MISSING)
  }

  #struct({ title, version, content, modified, author }: Page) {
    const html = renderMarkdown(content, (other) => this.url('page', { title: other }))
    return { title, version, content, html, modified: new Date(modified), author }
  }
}

/**
 * Returns the entries of a list whose titles every protocol can carry. Version 0.2 allowed others, and one of them would break
 * the whole list for clients of XML-RPC.
 */
function withTitlesForAll<Entry>(entries: readonly Entry[], titleOf: (entry: Entry) => string): Entry[] {
  return entries.filter((entry) => checkTitle(titleOf(entry)) === undefined)
}

/** Ends a call with a fault. */
function fail(code: number, message: string): never {
  throw new Fault(code, message)
}
