/**
 * `wsgi.input` over a web request.
 *
 * @module
 */
import { PulledInput } from '../input.ts'

/** Body of a web request. It is not accessed before the first read. */
export class WebInput extends PulledInput {
  readonly #request: globalThis.Request
  readonly #length: number
  #iterator: AsyncIterator<Uint8Array> | undefined
  #taken = false

  /** @param length - Content-Length in bytes, Infinity if unknown. */
  constructor(request: globalThis.Request, length: number) {
    super()
    this.#request = request
    this.#length = length
  }

  protected override async pull(): Promise<Uint8Array | undefined> {
    if (this.#taken) return undefined
    this.#iterator ??= this.#request.body?.[Symbol.asyncIterator]()
    const { done, value } = (await this.#iterator?.next()) ?? { done: true }
    return done ? undefined : value
  }

  /** Reads a whole body of known length without creating a stream, which costs more than a small request. */
  protected override gather(size: number): Promise<Uint8Array> {
    if (this.#taken || this.#iterator !== undefined || size < this.#length) return super.gather(size)
    this.#taken = true
    return this.#request.arrayBuffer().then((buffer) => this.cut(new Uint8Array(buffer), size))
  }
}
