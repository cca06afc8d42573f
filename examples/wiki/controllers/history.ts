import { abort } from 'propylon'
import { int } from 'propylon/converters'
import { BaseController } from '../lib/base.ts'
import { renderMarkdown } from '../model/markdown.ts'
import { findVersion, versionsOf } from '../model/pages.ts'

/** Shows the versions of a page. */
export class HistoryController extends BaseController {
  static args = { show: { version: int } }

  /** GET /page/TITLE/history: all versions, the newest first. url('history', { title }) */
  async index(title: string, format = 'html') {
    const page = await this._findPage(title)
    const versions = await versionsOf(page)
    if (format !== 'json') return this.render('pages/history', { page, versions })
    return {
      versions: versions.map(({ version, modified, author }) => {
        return { version, modified, author, link: this.url('version', { title: page.title, version }) }
      }),
    }
  }

  /** GET /page/TITLE/history/VERSION: one version. url('version', { title, version }) */
  async show(title: string, version: number, format = 'html') {
    const page = await this._findPage(title)
    const old = (await findVersion(page, version)) ?? abort(404, 'The page has no such version.')
    const html = renderMarkdown(old.content, (other) => this.url('page', { title: other }))
    if (format !== 'json') return this.render('pages/version', { page: old, html })
    const { content, modified, author } = old
    const link = this.url('version', { title: page.title, version })
    return { title: page.title, version, content, html, modified, author, link }
  }
}
