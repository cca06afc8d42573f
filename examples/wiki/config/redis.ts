import { Redis } from 'ioredis'
import { keep } from 'propylon'
import { settings } from './settings.ts'

/** The connection to `REDIS_URL`, which sessions, events and the limit of logins share. Undefined without it. */
export const redis = keep('redis of the wiki', () => {
  if (settings.REDIS_URL === undefined) return undefined
  const client = new Redis(settings.REDIS_URL, { maxRetriesPerRequest: 1, connectTimeout: 5000 })
  // Without a listener each failed attempt to connect would be printed. /readyz reports them.
  return client.on('error', () => {})
})
