/**
 * Serves the id of its process, at /held a body that ends when the pool has ended, at /signal one that ends when
 * all workers have received SIGTERM, and at /hang the id before the process hangs. Arguments: number of workers, and `fail` for an application that does not load.
 */
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { serveWorkers } from 'propylon/node'
import type { WSGIApplication } from 'propylon/wsgi'

const [workers = '1', mode] = process.argv.slice(2)

const app: WSGIApplication = ({ PATH_INFO: path }, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  if (path === '/held') return held()
  if (path === '/hang') return hang()
  return path === '/signal' ? signal() : [String(process.pid)]
}

async function* held() {
  yield 'begun'
  await once(process, 'disconnect')
  yield ' and complete'
}

async function* hang() {
  yield String(process.pid)
  await setTimeout(100)
  for (;;);
}

async function* signal() {
  yield String(process.pid)
  await once(process, 'SIGTERM')
  yield 'received'
  for (let message: unknown; !isAllClosed(message); ) [message] = await once(process, 'message')
  yield 'all closed'
}

function isAllClosed(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'allClosed' in message
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
