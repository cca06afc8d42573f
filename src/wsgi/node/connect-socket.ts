/**
 * A socket without a network: splits what a ServerResponse writes into head and body.
 *
 * @module
 */
import { Socket } from 'node:net'
import type { Chunk } from '../types.ts'

/** Number of buffered bytes from which on writers have to wait. */
const HIGH_WATER_MARK = 64 * 1024

/** Head of a response, as written by node:http. */
export interface ConnectHead {
  readonly status: string
  /** Pairs, as written. */
  readonly headers: [name: string, value: string][]
}

/**
 * A socket for a `ServerResponse`. It parses the head that node:http writes and buffers the body until it is pulled,
 * with back-pressure for the writer.
 */
export class ConnectSocket extends Socket {
  readonly #onHead: (head: ConnectHead) => void
  #head: ConnectHead | undefined
  readonly #chunks: Chunk[] = []
  #size = 0
  // Callback of the writer that waits until chunks are pulled.
  #held: (() => void) | undefined
  #wake: (() => void) | undefined

  /** @param address - values of `req.socket.remoteAddress` and `req.socket.encrypted`. */
  constructor(onHead: (head: ConnectHead) => void, address: { remoteAddress: string; encrypted: boolean }) {
    super()
    this.#onHead = onHead
    const { remoteAddress, encrypted } = address
    Object.defineProperty(this, 'remoteAddress', { value: remoteAddress })
    Object.defineProperty(this, 'encrypted', { value: encrypted })
  }

  /** Whether the head of a final response has been written. */
  get hasHead(): boolean {
    return this.#head !== undefined
  }

  get hasChunks(): boolean {
    return this.#chunks.length > 0
  }

  /** Returns and removes all buffered chunks. */
  takeAll(): Chunk[] {
    const chunks = this.#chunks.splice(0)
    this.#release(this.#size)
    return chunks
  }

  /** Returns and removes the next chunk. Undefined if none is buffered. */
  takeChunk(): Chunk | undefined {
    const chunk = this.#chunks.shift()
    if (chunk !== undefined) this.#release(chunk.length)
    return chunk
  }

  /** Sets the callback for the next change: a new chunk, or the end. It is called once. */
  whenReady(wake: () => void): void {
    this.#wake = wake
  }

  /** Calls the callback of {@link whenReady}. */
  notify(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  #release(size: number): void {
    this.#size -= size
    if (this.#size >= HIGH_WATER_MARK) return
    const held = this.#held
    this.#held = undefined
    held?.()
  }

  override _write(data: string | Uint8Array, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#receive(data, encoding)
    if (this.#size < HIGH_WATER_MARK) done()
    else this.#held = done
    this.notify()
  }

  override _writev(
    chunks: { chunk: string | Uint8Array; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    for (const { chunk, encoding } of chunks) this.#receive(chunk, encoding)
    if (this.#size < HIGH_WATER_MARK) done()
    else this.#held = done
    this.notify()
  }

  override _read(): void {}

  override _final(done: (error?: Error | null) => void): void {
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const held = this.#held
    this.#held = undefined
    done(error)
    held?.()
    this.notify()
    // A Socket with a connection leaves this to its handle.
    process.nextTick(() => this.emit('close', error !== null))
  }

  #receive(data: string | Uint8Array, encoding: BufferEncoding): void {
    if (this.#head !== undefined) {
      this.#keep(data, encoding)
      return
    }
    // node:http writes a head as one string, which may include the first chunk.
    const text = typeof data === 'string' ? data : Buffer.from(data).toString('latin1')
    const end = text.indexOf('\r\n\r\n') + 4
    if (end < 4) throw new Error('node:http wrote a response head in pieces.')
    // Informational responses are dropped.
    if (!/^HTTP\/1\.1 1\d\d /.test(text)) {
      this.#head = parseHead(text.slice(0, end - 4))
      this.#onHead(this.#head)
    }
    if (text.length > end) this.#receive(text.slice(end), typeof data === 'string' ? encoding : 'latin1')
  }

  #keep(data: string | Uint8Array, encoding: BufferEncoding): void {
    if (data.length === 0) return
    let chunk: Chunk = data
    if (typeof data === 'string' && !/^utf-?8$/i.test(encoding)) chunk = Buffer.from(data, encoding)
    this.#chunks.push(chunk)
    this.#size += chunk.length
  }
}

function parseHead(text: string): ConnectHead {
  const [statusLine = '', ...lines] = text.split('\r\n')
  return {
    status: statusLine.slice('HTTP/1.1 '.length),
    headers: lines.map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  }
}
