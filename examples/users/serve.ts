/** Production server (`npm start`). */

import { serve } from 'propylon/node'
import app from './app.ts'
import { disconnect, users } from './model/meta.ts'

try {
  const host = process.env.HOST || '127.0.0.1'
  const port = portOf(process.env.PORT || '5000')
  await users()
  const server = await serve(app, { host, port, unhandledRejections: 'log' })
  console.log(`The users are at ${server.url}`)
  // once(): a second signal ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(server))
} catch (error) {
  await fail(error)
}

/** Waits for the requests in progress, then ends the process. */
async function stop(server: { close(): Promise<void> }): Promise<void> {
  try {
    await server.close()
    await disconnect()
    process.exit(0)
  } catch (error) {
    await fail(error)
  }
}

async function fail(error: unknown): Promise<never> {
  console.error(process.env.NODE_ENV === 'development' ? error : messageOf(error))
  await disconnect()
  process.exit(1)
}

/** Returns the message, without the stack. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new RangeError(`PORT must be a number from 0 to 65535, not ${JSON.stringify(text)}`)
  return port
}
