import { keep } from 'propylon'
import { createClient } from 'redis'
import { settings } from './settings.ts'

/** The client of `REDIS_URL`, which sessions, events and the limit of logins share. Undefined without it. `prepare()` connects it. */
export const redis = keep('redis of the wiki', () => {
  const { REDIS_URL: url } = settings
  if (url === undefined) return undefined
  let wasReady = false
  // The wiki does not start without Redis. A connection that is lost later is opened again; meanwhile commands fail at once.
  const reconnectStrategy = (tries: number, cause: Error) => (wasReady ? Math.min(tries * 100, 2000) : cause)
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: 5000, reconnectStrategy },
  })
  client.once('ready', () => {
    wasReady = true
  })
  // Without a listener a lost connection would end the process. /readyz reports it.
  return client.on('error', () => {})
})
