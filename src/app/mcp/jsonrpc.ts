/** Errors, bodies and batches of JSON-RPC 2.0, for the Model Context Protocol and for services. */
import { pause } from '../../base/time.ts'
import { decodeText } from '../../http/body/body.ts'
import { parseJson } from '../../http/json.ts'
import type { Environ } from '../../wsgi/types.ts'

/** Error codes that JSON-RPC 2.0 §5.1 reserves. Codes outside of -32768 to -32000 belong to applications. */
export const JSONRPCErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** The method of a batched call answered by HTTP, which is impossible within a batch. */
  httpError: -32000,
  /** The answers of a batch take more bytes than `batchBytes` allows. The code of EIP-1474 for limits. */
  limitExceeded: -32005,
} as const

/**
 * A JSON-RPC error (JSON-RPC 2.0 §5.1). Methods throw or return it.
 *
 * @throws TypeError - the code is not an integer.
 *
 * @example
 * ```ts
 * import { JSONRPCController, JSONRPCError } from 'propylon'
 *
 * export class StockController extends JSONRPCController {
 *   order(article: string): string {
 *     throw new JSONRPCError(26, 'No more stock.', { article })
 *   }
 * }
 * ```
 */
export class JSONRPCError extends Error {
  override readonly name = 'JSONRPCError'
  readonly code: number
  /** Additional information for the client: any JSON value. */
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    if (!Number.isSafeInteger(code))
      throw new TypeError(`The code of a JSON-RPC error must be an integer, not ${code}.`)
    super(message, options)
    this.code = code
    this.data = data
  }
}

/** Returns the error for a message that is not a request. */
export function invalidRequest(problem: string): JSONRPCError {
  return new JSONRPCError(JSONRPCErrorCode.invalidRequest, `Invalid Request: ${problem}`)
}

/** Returns the error for parameters that a method does not accept. */
export function invalidParams(problem: string): JSONRPCError {
  return new JSONRPCError(JSONRPCErrorCode.invalidParams, `Invalid params: ${problem}`)
}

/**
 * Parses the body of a request.
 *
 * @throws JSONRPCError - code -32700: the body is not JSON in UTF-8, is nested too deeply, or has a key `__proto__`.
 */
export function parseMessage(body: Uint8Array): unknown {
  try {
    return parseJson(decodeText(body, 'utf-8'))
  } catch (cause) {
    throw new JSONRPCError(JSONRPCErrorCode.parseError, 'Parse error', undefined, { cause })
  }
}

/** Time for which the calls of a batch run without a pause. */
const SLICE_MILLISECONDS = 5

/** Bytes of the answers of all batches that are being answered or sent: sixteen of the largest. */
const MAX_IN_ALL = 128 * 1024 * 1024

/** Bytes of the answers so far of all batches that are being answered or sent. */
let takenInAll = 0

/** Functions that cut the clients of batches that have not read their answers, the longest-waiting first. */
const unsent = new Map<Batch, () => void>()

/** Resolves when the last of the batches that wait may continue: one in each turn of the event loop. */
let turns: Promise<void> = Promise.resolve()

/** Returns true if the answers of all batches may take some more bytes. Cuts clients that do not read for it. */
function hasRoom(bytes: number): boolean {
  for (const [batch, cut] of unsent) {
    if (takenInAll + bytes <= MAX_IN_ALL) return true
    batch.release()
    cut()
  }
  return takenInAll + bytes <= MAX_IN_ALL
}

/**
 * A batch that is being answered: its answers take a limited number of bytes, and other requests are served
 * meanwhile. If all batches take too many, the clients are cut that have not read their answers for longest.
 */
export class Batch {
  readonly #max: number
  readonly #environ: Environ
  #taken = 0
  #isFull = false
  /** When the calls that run without a pause began. The first waits for the turn of the batch. */
  #since = Number.NEGATIVE_INFINITY

  /**
   * @param max - bytes of all answers.
   * @param environ - of the request.
   */
  constructor(max: number, environ: Environ) {
    this.#max = max
    this.#environ = environ
  }

  /**
   * Counts the bytes of an answer. If it does not fit, the batch is full: no further answer fits, so that none
   * overtakes one that the client misses.
   *
   * @returns whether the answer fits.
   */
  take(bytes: number): boolean {
    this.#isFull ||= this.#taken + bytes > this.#max || !hasRoom(bytes)
    if (!this.#isFull) {
      this.#taken += bytes
      takenInAll += bytes
    }
    return !this.#isFull
  }

  /** @throws JSONRPCError - the batch is full, so that a call need not run. */
  requireRoom(): void {
    if (this.#isFull) throw this.refusal()
  }

  /** Returns the failure of a call whose answer does not fit. */
  refusal(): JSONRPCError {
    return new JSONRPCError(
      JSONRPCErrorCode.limitExceeded,
      `The answers of the batch exceed ${this.#max} bytes, or the answers of all batches ${MAX_IN_ALL}. Send fewer calls at a time.`,
    )
  }

  /**
   * Answers the entries of the batch, one after the other. Other requests and batches run in between.
   *
   * @param answer - answers an entry, and counts its answer with {@link take}.
   */
  async run<Entry, Answer>(
    entries: readonly Entry[],
    answer: (entry: Entry, batch: Batch) => Promise<Answer>,
  ): Promise<Answer[]> {
    const answers: Answer[] = []
    try {
      for (const entry of entries) {
        await this.#breathe()
        answers.push(await answer(entry, this))
      }
    } finally {
      // A client that does not read keeps the answers in memory.
      const { 'propylon.connection': connection } = this.#environ
      const cut = connection?.onSent?.(() => this.release())
      if (cut === undefined) this.release()
      else if (this.#taken > 0) unsent.set(this, cut)
    }
    return answers
  }

  /** Stops counting the answers. */
  release(): void {
    takenInAll -= this.#taken
    this.#taken = 0
    unsent.delete(this)
  }

  /** Waits for the turn of the batch if its calls have run for some milliseconds. */
  async #breathe(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MILLISECONDS) return
    turns = turns.then(pause)
    await turns
    this.#since = performance.now()
  }
}
