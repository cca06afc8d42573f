/** Pieces from this length on are kept as they are, in bytes. Shorter ones are copied. */
const KEPT_LENGTH = 16 * 1024

/** Length of the first and of the largest block into which pieces are copied, in bytes. */
const FIRST_BLOCK = 1024
const LARGEST_BLOCK = 64 * 1024

/** Memory that the first piece takes in addition to its length, in bytes. */
const OVERHEAD = 256

/**
 * Gathers the pieces of a body. Short pieces are copied into blocks, so that a body takes the memory of its bytes however
 * finely it is divided: a piece of one byte would take about 200, and keep the buffer in which it arrived.
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
