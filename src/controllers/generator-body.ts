/** Generators that actions return as bodies. */
import { isPromise } from '../base/promise.ts'
import type { Chunk } from '../wsgi/types.ts'

/** A generator of the chunks of a body. */
export type GeneratorBody = Generator<Chunk, unknown> | AsyncGenerator<Chunk, unknown>

/** Names of the objects that `function*` and `async function*` return. */
const TAGS: ReadonlySet<unknown> = new Set(['Generator', 'AsyncGenerator'])

/** Returns true for a generator, and false for any other iterable. */
export function isGenerator(result: unknown): result is GeneratorBody {
  return typeof result === 'object' && result !== null && TAGS.has(Reflect.get(result, Symbol.toStringTag))
}

/**
 * Runs a generator to its first chunk, which its first reader receives. Until then it may set header fields and values of
 * the session, or abort.
 *
 * @returns a promise if the generator is asynchronous.
 * @throws the error of the generator, as a rejection if it is asynchronous.
 */
export function begin(generator: GeneratorBody): Promise<unknown> | undefined {
  const next: () => unknown = generator.next.bind(generator)
  const first = next()
  let isRead = false
  Object.assign(generator, {
    next() {
      if (isRead) return next()
      isRead = true
      return first
    },
  })
  return isPromise(first) ? first : undefined
}
