/** Serves the wiki (`npm run wiki`). */
import cluster from 'node:cluster'
import { serveWorkers } from 'propylon/node'

try {
  const { settings } = await import('./config/settings.ts')
  const { HOST: host, PORT: port, LISTEN } = settings
  if (settings.REDIS_URL === undefined && cluster.isPrimary) {
    console.error('REDIS_URL is not set: events stay within each process.')
  }
  const url = await serveWorkers(load, {
    ...(LISTEN === undefined ? { host, port } : { path: LISTEN.slice('unix:'.length) }),
    workers: settings.WORKERS,
    trustProxy: settings.TRUST_PROXY,
    proxyHeaders: settings.PROXY_HEADERS,
    drainTimeout: 6000,
    unhandledRejections: 'log',
  })
  console.log(`The wiki is at ${url}`)
} catch (error) {
  // Settings and addresses that are wrong need no stack.
  console.error(error instanceof Error && process.env.NODE_ENV !== 'development' ? error.message : error)
  process.exit(1)
}

async function load() {
  const { default: app } = await import('./app.ts')
  const { prepare } = await import('./model/prepare.ts')
  await prepare()
  return app
}
