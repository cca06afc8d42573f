/** The input that a worker is trying, in memory that the supervisor can read while the worker hangs. */
import type { Json } from './property.ts'

const HEAD = 3 * Int32Array.BYTES_PER_ELEMENT
const SIZE = 4 * 1024 * 1024

/** Memory for {@link Progress}. */
export function progressMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEAD + SIZE)
}

/** The state of a worker. */
export class Progress {
  /** Number of inputs that were begun, index of the property, length of the input in bytes. */
  readonly #head: Int32Array
  readonly #text: Buffer

  constructor(memory: SharedArrayBuffer) {
    this.#head = new Int32Array(memory, 0, 3)
    this.#text = Buffer.from(memory, HEAD, SIZE)
  }

  /** Number of inputs that were begun. */
  get count(): number {
    return Atomics.load(this.#head, 0)
  }

  /** Index of the property. */
  get property(): number {
    return Atomics.load(this.#head, 1)
  }

  /** Notes that an input is being tried. */
  begin(property: number, input: Json): void {
    Atomics.store(this.#head, 1, property)
    Atomics.store(this.#head, 2, this.#text.write(JSON.stringify(input)))
    Atomics.add(this.#head, 0, 1)
  }

  /** The input that is being tried, as JSON. */
  get input(): string {
    return Buffer.from(this.#text.subarray(0, Atomics.load(this.#head, 2))).toString()
  }
}
