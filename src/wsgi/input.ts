/**
 * `wsgi.input`: a request body that is read once, and its pieces in memory.
 *
 * @module
 */
import { concatBytes } from '../base/bytes.ts'
import type { InputStream } from './types.ts'

const EMPTY = new Uint8Array(0)
const LINE_FEED = 10

function nothing(): void {}

/** A source of bytes that {@link inputStream} reads. */
type Source = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** A request body that is pulled piece by piece from an iterable. Subclasses pull from other sources. */
export class PulledInput implements InputStream {
  /** The whole decoded body, if it has been read. Further readers share it. */
  kept: Promise<Uint8Array> | undefined = undefined

  readonly #source: Source
  #iterator: Iterator<Uint8Array> | AsyncIterator<Uint8Array> | undefined
  // Bytes that have been pulled and not been read.
  #rest: Uint8Array = EMPTY
  #ended = false
  #stream: ReadableStream<Uint8Array> | undefined
  #turn: Promise<unknown> | undefined

  constructor(source: Source = []) {
    this.#source = source
  }

  /** Returns the next piece of the body, undefined at its end. Called again only when the last call has settled. */
  protected async pull(): Promise<Uint8Array | undefined> {
    this.#iterator ??= iterate(this.#source)
    const { done, value } = await this.#iterator.next()
    return done ? undefined : value
  }

  /**
   * Returns `size` bytes, fewer only at the end. Bytes beyond them are {@link putBack}. Overridden for sources that
   * deliver a whole body faster than piece by piece.
   */
  protected async gather(size: number): Promise<Uint8Array> {
    const gathered = new GatheredBytes()
    for (let missing = size; missing > 0 && !this.#ended; ) {
      const piece = await this.pull()
      if (piece === undefined) this.#ended = true
      else {
        this.count(gathered.add(piece))
        missing -= piece.byteLength
      }
    }
    return this.cut(concatBytes(gathered.pieces()), size)
  }

  /** Returns the first `size` bytes. The next read returns the others. */
  protected cut(bytes: Uint8Array, size: number): Uint8Array {
    if (bytes.byteLength <= size) return bytes
    this.putBack(bytes.subarray(size))
    return bytes.subarray(0, size)
  }

  /**
   * Counts bytes as held in memory until the next read, or until the request ends if the body is {@link kept}. Does
   * nothing here: only `wsgi/node` bounds the sum.
   *
   * @throws BodyMemoryError if the bound would be exceeded.
   */
  count(_bytes: number): void {}

  /** Stops counting what has been counted. Called before each read, unless the body is {@link kept}. */
  uncount(): void {}

  /** Puts back bytes that have been read. The next read returns them first. */
  putBack(bytes: Uint8Array): void {
    this.#rest = this.#rest.byteLength === 0 ? bytes : concatBytes([bytes, this.#rest])
  }

  /** Returns `size` bytes, fewer only at the end; the rest of the body if `size` is absent or negative. */
  read(size?: number): Promise<Uint8Array> {
    if (size !== undefined && !Number.isInteger(size)) {
      return Promise.reject(new TypeError(`wsgi.input.read() takes a whole number of bytes, not ${String(size)}.`))
    }
    return this.#inTurn(() => this.#readBytes(size === undefined || size < 0 ? Number.POSITIVE_INFINITY : size))
  }

  readline(): Promise<Uint8Array> {
    return this.#inTurn(() => this.#readLine())
  }

  // A loop that ends early does not close the body: the rest can still be read.
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const piece = await this.#inTurn(() => this.#piece())
      if (piece === undefined) return
      yield piece
    }
  }

  get stream(): ReadableStream<Uint8Array> {
    this.#stream ??= pulledStream(() => this.#inTurn(() => this.#piece()))
    return this.#stream
  }

  /** Runs concurrent reads one after the other. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const mine = this.#turn === undefined ? step() : this.#turn.then(step, step)
    // Chain on a void promise. Storing the original would retain the bytes and raise an unhandled rejection for
    // abandoned reads.
    this.#turn = mine.then(nothing, nothing)
    return mine
  }

  async #piece(): Promise<Uint8Array | undefined> {
    if (this.#rest.byteLength > 0) {
      const rest = this.#rest
      this.#rest = EMPTY
      return rest
    }
    while (!this.#ended) {
      const piece = await this.pull()
      if (piece === undefined) this.#ended = true
      else if (piece.byteLength > 0) return piece
    }
    return undefined
  }

  #readBytes(size: number): Promise<Uint8Array> {
    if (this.kept === undefined) this.uncount()
    const rest = this.#rest
    if (rest.byteLength === 0 && size > 0) return this.gather(size)
    this.#rest = EMPTY
    if (rest.byteLength >= size) return Promise.resolve(this.cut(rest, size))
    return this.gather(size - rest.byteLength).then((bytes) => concatBytes([rest, bytes]))
  }

  async #readLine(): Promise<Uint8Array> {
    if (this.kept === undefined) this.uncount()
    const gathered = new GatheredBytes()
    for (;;) {
      const piece = await this.#piece()
      if (piece === undefined) break
      const end = piece.indexOf(LINE_FEED) + 1
      this.count(gathered.add(end > 0 ? piece.subarray(0, end) : piece))
      if (end === 0) continue
      this.#rest = piece.subarray(end)
      break
    }
    return concatBytes(gathered.pieces())
  }
}

/**
 * Returns a stream that pulls each piece when its reader asks for it.
 *
 * @param next - returns the next piece, and undefined at the end.
 */
export function pulledStream(next: () => Promise<Uint8Array | undefined>): ReadableStream<Uint8Array> {
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const piece = await next()
      if (piece) controller.enqueue(piece)
      else controller.close()
    },
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}

function iterate(source: Source): Iterator<Uint8Array> | AsyncIterator<Uint8Array> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
}

/** Empty body. It has no state, so all requests share it. */
export const emptyInput: InputStream = {
  read: () => Promise.resolve(EMPTY),
  readline: () => Promise.resolve(EMPTY),
  async *[Symbol.asyncIterator]() {},
  get stream() {
    return new ReadableStream<Uint8Array>({ start: (controller) => controller.close() })
  },
}

/**
 * Creates a `wsgi.input` from bytes or from an iterable of bytes (PEP 3333, "Input and Error Streams"). The source is
 * not read before the input is. Errors of the source are thrown by the methods that read.
 *
 * @param source - null for an empty input.
 * @example
 * ```ts
 * import { inputStream } from 'propylon/wsgi'
 *
 * const input = inputStream(new TextEncoder().encode('name=Ann'))
 * console.log(await input.read(4)) // the bytes of 'name'
 * ```
 */
export function inputStream(source: AsyncIterable<Uint8Array> | Uint8Array | null): InputStream {
  if (source === null) return emptyInput
  return new PulledInput(source instanceof Uint8Array ? [source] : source)
}

// ------------------------------------------------------------ pieces in memory

/** Pieces from this length on are kept as they are, in bytes. Shorter ones are copied. */
const KEPT_LENGTH = 16 * 1024

/** Length of the first and of the largest block into which pieces are copied, in bytes. */
const FIRST_BLOCK = 1024
const LARGEST_BLOCK = 64 * 1024

/** Memory that the first piece takes in addition to its length, in bytes. */
const OVERHEAD = 256

/**
 * Gathers the pieces of a body. Short pieces are copied into blocks, so that a body takes the memory of its bytes
 * however finely it is divided: a piece of one byte would take about 200, and keep the buffer in which it arrived.
 *
 * They take at most 65,792 bytes more than their length.
 */
export class GatheredBytes {
  readonly #pieces: Uint8Array[] = []
  #block: Uint8Array | undefined = undefined
  /** Places of the block: where the bytes begin that `#pieces` does not have, and where they end. */
  #from = 0
  #to = 0

  /** Adds a piece. Returns the bytes of memory that it takes. */
  add(piece: Uint8Array): number {
    // Most bodies are one piece, which is not copied.
    if (this.#pieces.length === 0 && this.#block === undefined) {
      this.#pieces.push(piece)
      return piece.byteLength + OVERHEAD
    }
    if (piece.byteLength >= KEPT_LENGTH) {
      this.#flush()
      this.#pieces.push(piece)
      return piece.byteLength
    }
    return this.#copy(piece)
  }

  /** Returns the gathered bytes, in order. */
  pieces(): Uint8Array[] {
    this.#flush()
    return this.#pieces
  }

  #copy(piece: Uint8Array): number {
    const length = this.#block?.byteLength ?? 0
    const fitting = piece.subarray(0, length - this.#to)
    this.#block?.set(fitting, this.#to)
    this.#to += fitting.byteLength
    const rest = piece.subarray(fitting.byteLength)
    if (rest.byteLength === 0) return 0
    this.#flush()
    const size = Math.min(Math.max(2 * length, FIRST_BLOCK), LARGEST_BLOCK)
    this.#block = new Uint8Array(Math.max(size, rest.byteLength))
    this.#block.set(rest)
    this.#from = 0
    this.#to = rest.byteLength
    return this.#block.byteLength
  }

  #flush(): void {
    if (this.#block === undefined || this.#from === this.#to) return
    this.#pieces.push(this.#block.subarray(this.#from, this.#to))
    this.#from = this.#to
  }
}
