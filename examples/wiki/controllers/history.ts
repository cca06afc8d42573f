import { abort } from 'propylon'
import { int } from 'propylon/converters'
import { BaseController } from '../lib/base.ts'
import { PageResult, VersionsResult } from '../lib/results.ts'
import { renderMarkdown } from '../model/markdown.ts'
import { findVersion, versionsOf } from '../model/pages.ts'

/** Shows the versions of a page. */
export class HistoryController extends BaseController {
  static args = { show: { version: int } }
  static results = { index: VersionsResult, show: PageResult }
  static pages = { index: 'pages/history', show: 'pages/version' }

  /** Lists the versions of a page, the newest first. */
  async index(title: string) {
    const page = await this._findPage(title)
    const versions = (await versionsOf(page)).map((each) => ({ ...each, link: this.#linkTo(each) }))
    return { title: page.title, versions }
  }

  /** Shows a version of a page. */
  async show(title: string, version: number) {
    const page = await this._findPage(title)
    const old = (await findVersion(page, version)) ?? abort(404, 'The page has no such version.')
    const html = renderMarkdown(old.content, (other) => this.url('page', { title: other }))
    return { ...old, html, link: this.#linkTo(old) }
  }

  #linkTo({ title, version }: { title: string; version: number }): string {
    return this.url('version', { title, version })
  }
}
