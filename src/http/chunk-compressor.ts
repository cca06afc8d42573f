import type { Transform } from 'node:stream'
import { concatBytes } from '../base/bytes.ts'
import { createCompressor } from './compression.ts'
import type { ContentCoding } from './content-coding.ts'

type Done = (error?: Error | null) => void

/**
 * Compresses chunks one at a time. The bytes returned so far decode to all chunks written so far. Call {@link close} to
 * release the memory of the compressor before the end.
 */
export class ChunkCompressor {
  readonly #stream: Transform
  #output: Uint8Array[] = []
  #abandon: Done | undefined

  /** @throws Error - the runtime lacks node:zlib. */
  constructor(coding: ContentCoding) {
    this.#stream = createCompressor(coding)
    this.#stream.on('data', (piece: Uint8Array) => this.#output.push(piece))
    // The callbacks receive the errors as well.
    this.#stream.on('error', () => {})
  }

  /** Compresses a chunk. */
  write(chunk: Uint8Array): Promise<Uint8Array> {
    return this.#run((done) => this.#stream.write(chunk, done))
  }

  /** Compresses the last chunk and ends. */
  end(chunk: Uint8Array): Promise<Uint8Array> {
    return this.#run((done) => {
      this.#stream.once('end', done).once('error', done)
      this.#stream.end(chunk)
    })
  }

  /** Ends without a result. A pending call resolves to no bytes. */
  close(): void {
    this.#output = []
    this.#abandon?.()
    this.#stream.destroy()
  }

  #run(step: (done: Done) => void): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const done: Done = (error) => {
        this.#abandon = undefined
        if (error) reject(error)
        else resolve(concatBytes(this.#output.splice(0)))
      }
      this.#abandon = done
      step(done)
    })
  }
}
