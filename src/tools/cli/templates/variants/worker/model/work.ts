// The kinds of background work.
import type { Handlers } from './outbox.ts'

/**
 * The work of `worker.ts`, by its kind. An action stores it in the transaction that makes the change:
 *
 *     await later(transaction, 'greet', { name: 'Ann' })
 */
export const handlers: Handlers = {
  async greet({ name }: { name: string }) {
    console.log(`Hello, ${name}!`)
  },
  async midnight() {
    console.log('A new day begins.')
  },
}

/** The work that is done again and again: seconds between two times, by kind. */
export const schedule: Readonly<Record<string, number>> = {
  midnight: 24 * 60 * 60,
}
