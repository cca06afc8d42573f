/** Serves the wiki (`npm run wiki`). */
import { serve } from 'propylon/node'

try {
  console.log(`The wiki is at ${await start()}`)
} catch (error) {
  // One line: settings and addresses that are wrong need no stack.
  console.error(error instanceof Error && process.env.NODE_ENV !== 'development' ? error.message : error)
  process.exit(1)
}

async function start(): Promise<string> {
  const { settings } = await import('./config/settings.ts')
  const { default: app } = await import('./app.ts')
  const { prepare } = await import('./model/prepare.ts')
  app.onShutdown(await prepare())
  const address =
    settings.LISTEN === undefined
      ? { host: settings.HOST, port: settings.PORT }
      : { path: settings.LISTEN.slice('unix:'.length) }
  const server = await serve(app, {
    ...address,
    trustProxy: settings.TRUST_PROXY ?? [],
    shutdownDelay: 1000,
    drainTimeout: 7000,
    unhandledRejections: 'log',
  })
  return server.url
}
