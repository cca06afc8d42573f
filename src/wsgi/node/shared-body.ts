/**
 * A request body that Connect handlers read, and after them the application behind them.
 *
 * @module
 */
import { GatheredBytes } from '../gathered-bytes.ts'
import { PulledInput } from '../input.ts'
import type { InputStream } from '../types.ts'

/** Maximum number of bytes of a body that a handler has read and the application behind it can read again. */
const MAX_REPLAYED = 4 * 1024 * 1024

/**
 * The body of a request of Connect handlers. Bytes that can be read again are in memory, so they count in the memory for all
 * bodies of the server.
 */
export class SharedBody {
  readonly #input: InputStream
  #iterator: AsyncIterator<Uint8Array> | undefined
  /** The bytes that handlers have read, as long as they can be read again. */
  #gathered: GatheredBytes | undefined = new GatheredBytes()
  #size = 0
  /** Bytes of memory that the gathered bytes take. */
  #held = 0
  /** Bytes of memory that have been counted. */
  #counted = 0

  constructor(input: InputStream) {
    this.#input = input
  }

  /** Whether handlers have begun to read. */
  get isRead(): boolean {
    return this.#iterator !== undefined
  }

  /**
   * Returns the next chunk for the handlers, undefined at the end.
   *
   * @throws BodyMemoryError if the server has no memory left for it.
   */
  async next(): Promise<Uint8Array | undefined> {
    const chunk = await this.#pull()
    if (chunk === undefined) return undefined
    this.#size += chunk.byteLength
    if (this.#size > MAX_REPLAYED) this.#drop()
    else if (this.#gathered !== undefined) {
      this.#held += this.#gathered.add(chunk)
      this.count(this.#held)
    }
    return chunk
  }

  /** Counts as many bytes as a reader holds. The same bytes count once for all readers. */
  count(bytes: number): void {
    if (!(this.#input instanceof PulledInput) || bytes <= this.#counted) return
    this.#input.count(bytes - this.#counted)
    this.#counted = bytes
  }

  /** Returns the body from its beginning. */
  replay(): InputStream {
    return new ReplayedInput(this, this.#replayed())
  }

  #drop(): void {
    this.#gathered = undefined
    this.#counted = 0
    if (this.#input instanceof PulledInput) this.#input.uncount()
  }

  async #pull(): Promise<Uint8Array | undefined> {
    this.#iterator ??= this.#input[Symbol.asyncIterator]()
    const { done, value } = await this.#iterator.next()
    return done ? undefined : value
  }

  async *#replayed(): AsyncGenerator<Uint8Array, void, undefined> {
    let at = 0
    for (;;) {
      const piece = this.#piece(at)
      if (piece !== undefined) {
        at += 1
        yield piece
        continue
      }
      const chunk = await this.#pull()
      // A handler that still reads may have received earlier pieces in the meantime.
      for (let earlier = this.#piece(at); earlier !== undefined; earlier = this.#piece(at)) {
        at += 1
        yield earlier
      }
      if (chunk === undefined) return
      yield chunk
    }
  }

  /** @throws Error - handlers have read more than can be read again. */
  #piece(at: number): Uint8Array | undefined {
    if (this.#gathered !== undefined) return this.#gathered.pieces()[at]
    throw new Error(
      `A Connect handler has read ${this.#size} bytes of the request body, of which at most ${MAX_REPLAYED} can be read again. Use the result of the handler, for instance req.body.`,
    )
  }
}

/** A body that is read again. What its reader holds counts as far as it is more than the handlers hold. */
class ReplayedInput extends PulledInput {
  readonly #body: SharedBody
  #held = 0

  constructor(body: SharedBody, pieces: AsyncIterable<Uint8Array>) {
    super(pieces)
    this.#body = body
  }

  override count(bytes: number): void {
    this.#held += bytes
    this.#body.count(this.#held)
  }

  override uncount(): void {
    this.#held = 0
  }
}
