/**
 * The socket of a response that goes to no network: what is written to it becomes a head and a body.
 *
 * @module
 */
import { Socket } from 'node:net'
import { encodeUtf8 } from '../bytes.ts'
import type { Chunk } from '../types.ts'

/** How much is taken before the writer is told to wait, in bytes. */
const HIGH_WATER_MARK = 64 * 1024

/** The head of a response, as node:http has written it. */
export interface WireHead {
  readonly status: string
  /** Pairs, as written. */
  readonly headers: [name: string, value: string][]
}

/**
 * A socket for a `ServerResponse`. It takes the head apart that node:http writes, and keeps the body until it is pulled:
 * writers are held back when nobody does.
 */
export class Wire extends Socket {
  readonly #onHead: (head: WireHead) => void
  #head: WireHead | undefined
  readonly #chunks: Chunk[] = []
  #size = 0
  // The writer that waits for the chunks to be pulled.
  #held: (() => void) | undefined
  #wake: (() => void) | undefined

  /** @param address - what the handler is to see as `req.socket.remoteAddress` and `req.socket.encrypted`. */
  constructor(onHead: (head: WireHead) => void, address: { remoteAddress: string; encrypted: boolean }) {
    super()
    this.#onHead = onHead
    const { remoteAddress, encrypted } = address
    Object.defineProperty(this, 'remoteAddress', { value: remoteAddress })
    Object.defineProperty(this, 'encrypted', { value: encrypted })
  }

  /** What has been written and not been pulled, all at once. */
  takeAll(): Chunk[] {
    const chunks = this.#chunks.splice(0)
    this.#release(this.#size)
    return chunks
  }

  /** The next chunk, undefined when none is there. */
  takeChunk(): Chunk | undefined {
    const chunk = this.#chunks.shift()
    if (chunk !== undefined) this.#release(chunk.length)
    return chunk
  }

  /** Calls back, once, when there is something new to be taken, or nothing will come any more. */
  whenReady(wake: () => void): void {
    this.#wake = wake
  }

  /** Calls whoever waits. */
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

  override _write(
    data: string | Uint8Array,
    encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ): void {
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
    // A plain Socket leaves this to the handle of its connection.
    process.nextTick(() => this.emit('close', error !== null))
  }

  #receive(data: string | Uint8Array, encoding: BufferEncoding): void {
    if (this.#head !== undefined) {
      this.#keep(data, encoding)
      return
    }
    // node:http writes a head as one string, with or without the first chunk behind it.
    const text = typeof data === 'string' ? data : Buffer.from(data).toString('latin1')
    const end = text.indexOf('\r\n\r\n') + 4
    if (end < 4) throw new Error('node:http wrote a response head in pieces.')
    // Informational responses are not the application's.
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

/** The chunks as bytes where they are not all text, so that they can be joined to one. */
export function joined(chunks: Chunk[]): Chunk[] {
  if (chunks.length < 2) return chunks
  if (chunks.every((chunk) => typeof chunk === 'string')) return [chunks.join('')]
  return [Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? encodeUtf8(chunk) : chunk)))]
}

function parseHead(text: string): WireHead {
  const [statusLine = '', ...lines] = text.split('\r\n')
  return {
    status: statusLine.slice('HTTP/1.1 '.length),
    headers: lines.map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  }
}
