/**
 * The rules for bodies, and the wrappers that check by them.
 *
 * @module
 */
import { chunkLength } from '../bytes.ts'
import { writeToConsole } from '../errors.ts'
import { settle } from '../promise.ts'
import { isBodyless } from '../status.ts'
import type { Body, Chunk, ErrorStream } from '../types.ts'
import { headRules, type LintedHead } from './head.ts'
import { found, section } from './rule.ts'

/** What the application returns. */
export const bodyRules = section(
  'The body',
  'The application returns an iterable or an async iterable of chunks, or a promise of one. It may carry `close()`, ' +
    'which releases what the body holds.',
  'application',
  {
    'body-iterable': [
      'The body is an iterable or an async iterable, and no string or Uint8Array itself.',
      "Put the chunk into an array: return ['Hello'], not 'Hello'.",
    ],
    'body-close': ['`close` of a body, where it is there, is a function.', 'Rename the other thing.'],
    'chunk-type': [
      'A chunk is a string, which goes out as UTF-8, or a Uint8Array.',
      'Convert numbers and objects to text; a generator of promises is to be an async generator.',
    ],
    'body-forbidden': [
      'A response with status 204, 205 or 304 has no chunk that is not empty.',
      'Return [].',
    ],
    'content-length-bytes': [
      'The bytes of all chunks together are as many as `Content-Length` declares; in response to HEAD there may be none.',
      'Count the bytes of the UTF-8 and not the characters, or leave Content-Length to the server.',
    ],
    'write-in-time': [
      '`write` is called before the application returns, or before its promise resolves.',
      'Yield the chunk from the body instead.',
    ],
  },
)

/** What the server does with a body. */
export const pullRules = section(
  'Pulling and closing',
  'A server pulls chunk by chunk, at the client’s pace, and closes the body when it is complete and when the client has left.',
  'server',
  {
    'iterated-once': ['A body is iterated once.', 'Keep the iterator.'],
    'pulled-in-turn': [
      'The next chunk is asked for when the last one has come.',
      'Await the promise of next() first.',
    ],
    'pulled-after-end': [
      'No chunk is asked for after the end, after an error, or after `close()`.',
      'Stop there.',
    ],
    'closed-once': ['`close()` is called once.', 'Remember that it has been called.'],
    'closed-at-all': [
      '`close()` is called in any case.',
      'Call it when the body is complete, and when the client has left.',
    ],
  },
)

const rules = bodyRules.rules
const pulling = pullRules.rules

/** What has happened to one response so far. */
export class LintedResponse {
  readonly isHead: boolean
  head: LintedHead | undefined
  /** Whether a chunk that is not empty has been handed to the server. */
  committed = false
  returned = false
  #bytes = 0

  constructor(isHead: boolean) {
    this.isHead = isHead
  }

  /** Checks one chunk on its way to the server. */
  chunk(chunk: unknown): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
      throw rules['chunk-type'].error(found(chunk))
    if (chunk.length === 0) return
    const { head } = this
    if (head === undefined) throw headRules.rules['start-response-called'].error('a chunk before any call')
    if (isBodyless(head.code)) throw rules['body-forbidden'].error(`${found(chunk)} with status ${head.code}`)
    // A server need not send anything for HEAD before the end.
    if (!this.isHead) this.committed = true
    this.#bytes += chunkLength(chunk)
    if (head.length >= 0 && this.#bytes > head.length) throw this.#wrongLength(head.length, 'at least ')
  }

  /** Checks that the body may end here. */
  end(): void {
    const { head } = this
    if (head === undefined)
      throw headRules.rules['start-response-called'].error('the end of the body, and no call')
    if (head.length < 0 || this.#bytes === head.length || isBodyless(head.code)) return
    if (!(this.isHead && this.#bytes === 0)) throw this.#wrongLength(head.length, '')
  }

  #wrongLength(declared: number, amount: string): Error {
    return rules['content-length-bytes'].error(`${amount}${this.#bytes} bytes where ${declared} are declared`)
  }
}

/** The body as the server is to see it: an array stays an array, what is synchronous stays so. */
export function lintBody(body: Body, response: LintedResponse, errors: ErrorStream): Body {
  response.returned = true
  if (typeof body !== 'object' || body === null || body instanceof Uint8Array)
    throw rules['body-iterable'].error(found(body))
  if (body.close !== undefined && typeof body.close !== 'function')
    throw rules['body-close'].error(found(body.close))
  if (Array.isArray(body)) return lintArray(body, response, errors)
  if (Symbol.asyncIterator in body) return new LintedAsyncBody(body, response, errors)
  if (Symbol.iterator in body) return new LintedBody(body, response, errors)
  throw rules['body-iterable'].error(found(body))
}

function lintArray(body: Chunk[] & Body, response: LintedResponse, errors: ErrorStream): Body {
  for (const chunk of body) response.chunk(chunk)
  response.end()
  if (body.close === undefined) return body
  const closing = new Closing(body, errors)
  const copy: Chunk[] & Body = Object.assign([...body], { close: () => closing.close() })
  closing.watch(copy)
  return copy
}

/** Bodies of which `close()` has not been called yet, as the garbage collector sees them. */
const forgotten =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry<{ closed: boolean; errors: ErrorStream }>((state) => {
        if (state.closed) return
        const text = `${pulling['closed-at-all'].error('a body that was dropped').message}\n`
        settle(
          () => state.errors.write(text),
          () => writeToConsole(text),
        )
      })

/** Sees to it that close() is called once. */
class Closing {
  readonly #body: Body
  readonly #state: { closed: boolean; errors: ErrorStream }

  constructor(body: Body, errors: ErrorStream) {
    this.#body = body
    this.#state = { closed: false, errors }
  }

  get closed(): boolean {
    return this.#state.closed
  }

  watch(wrapper: object): void {
    if (this.#body.close !== undefined) forgotten?.register(wrapper, this.#state)
  }

  close(): void | Promise<void> {
    if (this.#state.closed) throw pulling['closed-once'].error('a second call')
    this.#state.closed = true
    return this.#body.close?.()
  }
}

/** What the wrappers of both kinds of iterables have in common. */
abstract class Linted {
  protected readonly response: LintedResponse
  readonly #closing: Closing
  #iterated = false
  #ended = false
  #pending = false

  constructor(body: Body, response: LintedResponse, errors: ErrorStream) {
    this.response = response
    this.#closing = new Closing(body, errors)
    this.#closing.watch(this)
  }

  close(): void | Promise<void> {
    return this.#closing.close()
  }

  protected iterate(): void {
    if (this.#iterated) throw pulling['iterated-once'].error('a second iterator')
    this.#iterated = true
  }

  protected ask(): void {
    if (this.#pending) throw pulling['pulled-in-turn'].error('next() while another is pending')
    if (this.#ended || this.#closing.closed) throw pulling['pulled-after-end'].error('another next()')
    this.#pending = true
  }

  /** What comes back from next(), or the error instead of it. */
  protected answer(result: IteratorResult<Chunk>): IteratorResult<Chunk> {
    this.#pending = false
    if (result.done) {
      this.#ended = true
      this.response.end()
    } else this.response.chunk(result.value)
    return result
  }

  protected end(): void {
    this.#pending = false
    this.#ended = true
  }
}

class LintedBody extends Linted implements Iterable<Chunk> {
  readonly #body: Iterable<Chunk>

  constructor(body: Iterable<Chunk>, response: LintedResponse, errors: ErrorStream) {
    super(body, response, errors)
    this.#body = body
  }

  [Symbol.iterator](): Iterator<Chunk> {
    this.iterate()
    const iterator = this.#body[Symbol.iterator]()
    return {
      next: () => {
        this.ask()
        let result: IteratorResult<Chunk>
        try {
          result = iterator.next()
        } catch (error) {
          this.end()
          throw error
        }
        try {
          return this.answer(result)
        } catch (error) {
          this.end()
          iterator.return?.()
          throw error
        }
      },
      return: () => {
        this.end()
        return iterator.return?.() ?? { done: true, value: undefined }
      },
    }
  }
}

class LintedAsyncBody extends Linted implements AsyncIterable<Chunk> {
  readonly #body: AsyncIterable<Chunk>

  constructor(body: AsyncIterable<Chunk>, response: LintedResponse, errors: ErrorStream) {
    super(body, response, errors)
    this.#body = body
  }

  [Symbol.asyncIterator](): AsyncIterator<Chunk> {
    this.iterate()
    const iterator = this.#body[Symbol.asyncIterator]()
    return {
      next: async () => {
        this.ask()
        let result: IteratorResult<Chunk>
        try {
          result = await iterator.next()
        } catch (error) {
          this.end()
          throw error
        }
        try {
          return this.answer(result)
        } catch (error) {
          this.end()
          await iterator.return?.()
          throw error
        }
      },
      return: async () => {
        this.end()
        return (await iterator.return?.()) ?? { done: true, value: undefined }
      },
    }
  }
}
