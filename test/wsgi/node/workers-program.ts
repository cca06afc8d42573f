/** Serves the id of its process. Arguments: number of workers, and `fail` for an application that does not load. */
import { serveWorkers } from 'propylon/node'
import type { WSGIApplication } from 'propylon/wsgi'

const [workers = '1', mode] = process.argv.slice(2)

const app: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return [String(process.pid)]
}

function load(): WSGIApplication {
  if (mode === 'fail') throw new Error('the application does not load')
  return app
}

try {
  const url = await serveWorkers(load, {
    port: 0,
    workers: workers === 'auto' ? workers : Number(workers),
    shutdownDelay: 0,
  })
  console.log(`Serving at ${url}`)
} catch (error) {
  console.error(String(error))
  process.exit(1)
}
