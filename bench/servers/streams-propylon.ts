import { channel } from '../../src/app/events/index.ts'
import { eventStream, FrameworkApp, Mapper, WSGIController } from '../../src/index.ts'
import { serve } from '../../src/wsgi/node/index.ts'
import { news } from '../works/data.ts'
import { ready } from './ready.mjs'

const events = channel<typeof news>('events')

class EventsController extends WSGIController {
  index() {
    return eventStream(events.subscribe(this.request.lastEventId))
  }

  async create() {
    await events.publish({ data: news })
    this.response.status = 204
  }
}

const map = new Mapper().resource('event', 'events')
const { port } = await serve(new FrameworkApp({ map, controllers: { events: EventsController } }), {
  backlog: 1024,
})
ready(port)
