import { eventStream } from 'propylon'
import { settings } from '../config/settings.ts'
import { BaseController } from '../lib/base.ts'
import { changesAfter, latestChange } from '../model/changes.ts'

/** Server-sent events about changes. */
export class EventsController extends BaseController {
  /** GET /events: one event for each change, from now on or after the last one that the client has received. url('events') */
  async index(signal: AbortSignal) {
    const { lastEventId = '' } = this.request
    const latest = await latestChange()
    const last = /^\d{1,15}$/.test(lastEventId) ? Math.min(Number(lastEventId), latest) : latest
    return eventStream(pageEvents(last, signal), { heartbeat: settings.HEARTBEAT })
  }
}

async function* pageEvents(last: number, signal: AbortSignal) {
  for await (const { id, title, version, author } of changesAfter(last, signal)) {
    yield { id, event: 'page', data: { title, version, author } }
  }
}
