/** Development server (`npm run dev`). Reloads changed modules on the next request. */
import { serve } from 'propylon/node'
import { reloading } from 'propylon/reload'

const app = await reloading(new URL('./app.ts', import.meta.url))
const port = Number(process.env.PORT || 5000)
const host = process.env.HOST || '127.0.0.1'
const server = await serve(app, { host, port, unhandledRejections: 'log' })
console.log(`The users are at ${server.url}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())

async function stop(): Promise<void> {
  app.close()
  await server.close()
  process.exit(0)
}
