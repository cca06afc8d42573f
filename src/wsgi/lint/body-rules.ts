/**
 * Rules for response bodies, and the wrappers that check them.
 *
 * @module
 */
import { chunkLength } from '../../base/bytes.ts'
import { describeValue } from '../../base/describe.ts'
import { isPromise, settle } from '../../base/promise.ts'
import { writeToConsole } from '../error-reporting.ts'
import { isBodyless } from '../response-head.ts'
import type { Body, Chunk, ErrorStream } from '../types.ts'
import { headRules, type LintedHead } from './head.ts'
import { section } from './rule.ts'

/** Rules for applications that return a body. */
export const bodyRules = section(
  'The body',
  'The application returns an iterable or an async iterable of chunks, or a promise of one. It may have a method ' +
    '`close()`, which releases its resources.',
  'application',
  {
    'body-iterable': [
      'The body is an iterable or an async iterable, and not a string or a Uint8Array.',
      "Return an array of chunks: ['Hello'], not 'Hello'.",
    ],
    'body-close': ['`close` of a body is a function, or absent.', 'Rename the other property.'],
    'chunk-type': [
      'A chunk is a Uint8Array, or a string, which is sent as UTF-8.',
      'Convert numbers and objects to text. Use an async generator instead of a generator of promises.',
    ],
    'body-forbidden': ['A response with status 204, 205 or 304 has only empty chunks.', 'Return [].'],
    'content-length-bytes': [
      'The total number of bytes is equal to `Content-Length`, or 0 in a response to HEAD.',
      'Count bytes of UTF-8 instead of characters, or leave Content-Length to the server.',
    ],
    'write-in-time': [
      '`write` is called before the application returns, or before its promise resolves.',
      'Yield the chunk from the body instead.',
    ],
  },
)

/** Rules for servers that send a body. */
export const pullRules = section(
  'Sending and closing',
  'A server requests each chunk when the client is ready for it. It closes the body at its end and when the client disconnects.',
  'server',
  {
    'iterated-once': ['A body is iterated once.', 'Use one iterator.'],
    'pulled-in-turn': [
      'The next chunk is requested after the previous one has arrived.',
      'Await the promise of next() first.',
    ],
    'pulled-after-end': [
      'No chunk is requested after the end, after an error, or after `close()`.',
      'Stop iterating.',
    ],
    'closed-once': ['`close()` is called once.', 'Store that it has been called.'],
    'closed-at-all': [
      '`close()` is always called.',
      'Call it at the end of the body, and when the client disconnects.',
    ],
  },
)

const rules = bodyRules.rules
const pulling = pullRules.rules

/** State of one response. */
export class LintedResponse {
  readonly isHead: boolean
  head: LintedHead | undefined
  /** Whether the server has received a chunk that is not empty. */
  committed = false
  returned = false
  #bytes = 0

  constructor(isHead: boolean) {
    this.isHead = isHead
  }

  /** Checks one chunk before the server receives it. */
  chunk(chunk: unknown): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
      throw rules['chunk-type'].error(describeValue(chunk))
    if (chunk.length === 0) return
    const { head } = this
    if (head === undefined) throw headRules.rules['start-response-called'].error('a chunk before any call')
    if (isBodyless(head.code))
      throw rules['body-forbidden'].error(`${describeValue(chunk)} with status ${head.code}`)
    // For HEAD a server may send nothing before the end.
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

/** Wraps a body. An array stays an array, and a synchronous iterable stays synchronous. */
export function lintBody(body: Body, response: LintedResponse, errors: ErrorStream): Body {
  response.returned = true
  if (typeof body !== 'object' || body === null || body instanceof Uint8Array)
    throw rules['body-iterable'].error(describeValue(body))
  if (body.close !== undefined && typeof body.close !== 'function')
    throw rules['body-close'].error(describeValue(body.close))
  if (Array.isArray(body)) return lintArray(body, response, errors)
  if (Symbol.asyncIterator in body) return new LintedAsyncBody(body, response, errors)
  if (Symbol.iterator in body) return new LintedBody(body, response, errors)
  throw rules['body-iterable'].error(describeValue(body))
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

/** Reports bodies that are garbage-collected before `close()` is called. */
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

/** Checks that `close()` is called exactly once. */
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

/** Base class of the wrappers of synchronous and asynchronous iterables. */
abstract class Linted<Source extends Iterable<Chunk> | AsyncIterable<Chunk>> {
  protected readonly body: Source
  readonly #response: LintedResponse
  readonly #closing: Closing
  #isIterated = false
  #state: 'ready' | 'pending' | 'ended' = 'ready'

  constructor(body: Source, response: LintedResponse, errors: ErrorStream) {
    this.body = body
    this.#response = response
    this.#closing = new Closing(body, errors)
    this.#closing.watch(this)
  }

  close(): void | Promise<void> {
    return this.#closing.close()
  }

  /** Returns an iterator that checks the calls of another and its chunks. Its results are promises if the others are. */
  protected checked<Chunks extends Iterator<Chunk> | AsyncIterator<Chunk>>(begin: () => Chunks): Chunks {
    if (this.#isIterated) throw pulling['iterated-once'].error('a second iterator')
    this.#isIterated = true
    const iterator = begin()
    const iteration = {
      next: () => this.#next(iterator),
      return: () => {
        this.#state = 'ended'
        return iterator.return?.() ?? { done: true, value: undefined }
      },
    }
    return iteration as Chunks
  }

  #next(iterator: Iterator<Chunk> | AsyncIterator<Chunk>) {
    if (this.#state === 'pending') throw pulling['pulled-in-turn'].error('next() while another is pending')
    if (this.#state === 'ended' || this.#closing.closed)
      throw pulling['pulled-after-end'].error('another next()')
    this.#state = 'pending'
    const receive = (result: IteratorResult<Chunk>) => this.#receive(result, iterator)
    const fail = (error: unknown): never => {
      this.#state = 'ended'
      throw error
    }
    try {
      const result = iterator.next()
      return isPromise(result) ? result.then(receive, fail) : receive(result)
    } catch (error) {
      return fail(error)
    }
  }

  #receive(result: IteratorResult<Chunk>, iterator: Iterator<Chunk> | AsyncIterator<Chunk>) {
    // It has ended already if `return()` was called in the meantime.
    const state = this.#state === 'pending' ? 'ready' : this.#state
    this.#state = 'ended'
    if (result.done) this.#response.end()
    else {
      try {
        this.#response.chunk(result.value)
      } catch (error) {
        settle(
          () => iterator.return?.(),
          () => {},
        )
        throw error
      }
      this.#state = state
    }
    return result
  }
}

class LintedBody extends Linted<Iterable<Chunk>> implements Iterable<Chunk> {
  [Symbol.iterator](): Iterator<Chunk> {
    return this.checked(() => this.body[Symbol.iterator]())
  }
}

class LintedAsyncBody extends Linted<AsyncIterable<Chunk>> implements AsyncIterable<Chunk> {
  [Symbol.asyncIterator](): AsyncIterator<Chunk> {
    const iterator = this.checked(() => this.body[Symbol.asyncIterator]())
    // An asynchronous iterator rejects instead of throwing, and returns promises only.
    return {
      next: async () => iterator.next(),
      return: async () => iterator.return?.() ?? { done: true, value: undefined },
    }
  }
}
