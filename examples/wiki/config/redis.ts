import { Redis } from 'ioredis'
import { keep } from 'propylon'
import { settings } from './settings.ts'

/** The connection to `REDIS_URL`, which sessions, events and the limit of logins share. Undefined without it. */
export const redis = keep('redis of the wiki', () => {
  if (settings.REDIS_URL === undefined) return undefined
  const client = new Redis(settings.REDIS_URL, { maxRetriesPerRequest: 1, connectTimeout: 5000 })
  let isLost = false
  client.on('error', (error) => {
    if (!isLost) console.error(`Redis cannot be reached: ${error.message}`)
    isLost = true
  })
  client.on('ready', () => {
    isLost = false
  })
  return client
})
