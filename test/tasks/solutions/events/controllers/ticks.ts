import { eventStream } from 'propylon'
import { BaseController } from '../lib/base.ts'

async function* ticksAfter(last: number) {
  for (let tick = last + 1; tick <= 3; tick++) yield { id: tick, data: { tick } }
}

/** Sends ticks. */
export class TicksController extends BaseController {
  /** GET /ticks */
  index() {
    return eventStream(ticksAfter(Number(this.request.lastEventId ?? 0)))
  }
}
