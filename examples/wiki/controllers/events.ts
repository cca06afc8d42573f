import { eventStream } from 'propylon'
import { settings } from '../config/settings.ts'
import { BaseController } from '../lib/base.ts'
import { changes } from '../model/changes.ts'

/** Server-sent events about changes. */
export class EventsController extends BaseController {
  /** GET /events: one event for each change, from now on or after the last one that the client has received. url('events') */
  async index() {
    const { lastEventId = '' } = this.request
    const events = changes.subscribe(/^\d+$/.test(lastEventId) ? lastEventId : undefined)
    await events.begun
    return eventStream(events, { heartbeat: settings.HEARTBEAT })
  }
}
