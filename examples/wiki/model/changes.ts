import { channel } from 'propylon/events'
import { redis } from '../config/redis.ts'
import { settings } from '../config/settings.ts'

/** A new version of a page. */
export interface Change {
  readonly title: string
  readonly version: number
  readonly author: string
}

/** Wikis with other databases may use the same Redis. */
const name = `wiki ${new URL(settings.DATABASE_URL).pathname.slice(-150)}`

/** The changes of all pages: of all processes if there is Redis, otherwise of this one. */
export const changes = channel<Change>(name, { redis, keep: 5000 })

/** Publishes a change. Call it when the transaction has ended. */
export function announceChange(change: Change): void {
  changes
    .publish({ event: 'page', data: change })
    .catch((error: Error) => console.error(`A change was not announced: ${error.message}`))
}
