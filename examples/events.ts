// Server-sent events: every visitor sees the number of visitors at once. Open the page in two windows.
import { EventEmitter, on } from 'node:events'
import { eventStream, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { serve } from 'propylon/node'

const visitors = new EventEmitter().setMaxListeners(0)
let count = 0

async function* counts(signal: AbortSignal) {
  const changes = on(visitors, 'change', { signal }) // Listens before the first change.
  visitors.emit('change', ++count)
  try {
    for await (const [visitorCount] of changes) yield { event: 'visitors', data: { count: visitorCount } }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    visitors.emit('change', --count)
  }
}

class VisitorsController extends WSGIController {
  /** GET / */
  index() {
    return `<!doctype html><title>Visitors</title><h1>Visitors: <output></output></h1><script>
      new EventSource('/events').addEventListener('visitors', ({ data }) => {
        document.querySelector('output').value = JSON.parse(data).count
      })</script>`
  }

  /** GET /events: `signal` is aborted when the client disconnects. */
  events(signal: AbortSignal) {
    return eventStream(counts(signal), { heartbeat: 15_000 })
  }
}

const app = new FrameworkApp({
  map: new Mapper()
    .connect('/', { controller: 'visitors', action: 'index' })
    .connect('/events', { controller: 'visitors', action: 'events' }),
  controllers: { visitors: VisitorsController },
})
const server = await serve(app, { port: Number(process.env.PORT || 5000) })
console.log(server.url)
