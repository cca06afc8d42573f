import { createHash } from 'node:crypto'
import { BaseController } from '../lib/base.ts'
import { recentChanges } from '../model/pages.ts'

const ENTRIES = 50

/** The newest changes for feed readers (RFC 4287). */
export class FeedController extends BaseController {
  /** GET /feed.atom. url('feed') */
  async index() {
    const changes = await recentChanges(new Date(0), ENTRIES)
    const updated = changes[0]?.modified ?? new Date(0).toISOString()
    this.response.contentType = 'application/atom+xml; charset=utf-8'
    this.response.headers.set('cache-control', 'no-cache')
    const rendered = await this.render('feed', { changes, updated })
    // Titles may have these two characters, which XML forbids.
    const text = rendered.replace(/[\uFFFE\uFFFF]/g, '\uFFFD')
    this.fresh({
      etag: createHash('sha256').update(text).digest('base64url'),
      lastModified: new Date(updated),
    })
    return text
  }
}
