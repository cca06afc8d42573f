/**
 * Files opened for reading.
 *
 * @module
 */

import type { BigIntStats } from 'node:fs'
import { builtin } from '../../base/builtin.ts'
import { isAbsence } from '../../base/files.ts'
import type { Closeable } from '../../wsgi/types.ts'

/** Number of bytes that are read at a time. Longer content is streamed. */
const CHUNK_LENGTH = 64 * 1024

/** Closes the descriptor of a file that was neither read to its end nor closed, because its response was dropped. */
const dropped = new FinalizationRegistry<number>((descriptor) => builtin('node:fs').closeSync(descriptor))

function promisified() {
  const { close, fstat, open, read } = builtin('node:fs')
  const { promisify } = builtin('node:util')
  return { close: promisify(close), fstat: promisify(fstat), open: promisify(open), read: promisify(read) }
}

let calls: ReturnType<typeof promisified> | undefined

/** Functions of node:fs for descriptors. The methods of FileHandle would end the process if a response is dropped. */
function io() {
  calls ??= promisified()
  return calls
}

/** Bytes of a file, read when they are pulled, so that at most one chunk is in memory. */
export type FileStream = AsyncIterable<Uint8Array> & Required<Closeable>

/** A regular file that is open for reading, as it was when it was opened. Read it once, or close it. */
export class OpenFile {
  /** Size in bytes. */
  readonly size: number
  /** Time of the last modification; never in the future (RFC 9110 §8.8.2.1). */
  readonly modified: Date
  readonly version: FileVersion
  readonly path: string
  readonly #descriptor: number
  #reading: Promise<unknown> | undefined
  #closing: Promise<void> | undefined

  private constructor(path: string, descriptor: number, stats: BigIntStats) {
    this.path = path
    this.#descriptor = descriptor
    dropped.register(this, descriptor, this)
    this.size = Number(stats.size)
    this.modified = new Date(Math.min(Number(stats.mtimeNs / 1_000_000n), Date.now()))
    this.version = versionOf(stats)
  }

  /**
   * Opens a file.
   *
   * @returns `undefined` if the path leads to nothing or to anything but a regular file.
   * @throws Error - the file cannot be read, for instance for lack of permission or of descriptors.
   */
  static async open(path: string): Promise<OpenFile | undefined> {
    const { O_NONBLOCK = 0, O_RDONLY } = builtin('node:fs').constants
    let descriptor: number
    try {
      // Without O_NONBLOCK, opening a named pipe would wait for a writer.
      descriptor = await io().open(path, O_RDONLY | O_NONBLOCK)
    } catch (error) {
      if (isAbsence(error)) return undefined
      throw error
    }
    try {
      const stats = await io().fstat(descriptor, { bigint: true })
      if (stats.isFile()) return new OpenFile(path, descriptor, stats)
    } catch (error) {
      await io().close(descriptor)
      throw error
    }
    await io().close(descriptor)
    return undefined
  }

  /**
   * Returns a part of the content, by default all of it: bytes if they are few, and the file is closed then,
   * otherwise a stream that closes the file.
   *
   * @throws Error - the file has become shorter since it was opened. Thrown by the stream as well.
   */
  async content(start = 0, length = this.size - start): Promise<Uint8Array | FileStream> {
    if (length > CHUNK_LENGTH) return this.stream(start, length)
    return this.bytes(start, length)
  }

  /** Reads a part of the content into memory, and closes the file. */
  async bytes(start = 0, length = this.size - start): Promise<Uint8Array> {
    try {
      const bytes = await this.#read(start, length)
      if (bytes.length < length) throw shortened(this.path)
      return bytes
    } finally {
      await this.close()
    }
  }

  /** Returns a stream of a part of the content. It closes the file at its end, or when it is closed. */
  stream(start = 0, length = this.size - start): FileStream {
    return {
      [Symbol.asyncIterator]: () => this.#closingAfter(this.chunks(start, length)),
      close: () => this.close(),
    }
  }

  async *#closingAfter(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* chunks
    } finally {
      await this.close()
    }
  }

  /** Reads a part of the content chunk by chunk, without closing the file. Ends early if it is closed. */
  async *chunks(start = 0, length = this.size - start): AsyncGenerator<Uint8Array, void, undefined> {
    const end = start + length
    for (let at = start; at < end && this.#closing === undefined; ) {
      const chunk = await this.#read(at, Math.min(CHUNK_LENGTH, end - at))
      if (chunk.length === 0) throw shortened(this.path)
      at += chunk.length
      yield chunk
    }
  }

  /** Reads `length` bytes from `start`; fewer at the end of the file. */
  #read(start: number, length: number): Promise<Uint8Array> {
    const reading = this.#fill(start, new Uint8Array(length))
    this.#reading = reading.catch(() => undefined)
    return reading
  }

  async #fill(start: number, buffer: Uint8Array): Promise<Uint8Array> {
    const { read } = io()
    let filled = 0
    while (filled < buffer.length) {
      const rest = buffer.length - filled
      const { bytesRead } = await read(this.#descriptor, buffer, filled, rest, start + filled)
      if (bytesRead === 0) return buffer.subarray(0, filled)
      filled += bytesRead
    }
    return buffer
  }

  /**
   * Closes the file, unless it is closed already. Waits for a read in progress, so that the number of the descriptor
   * cannot belong to another file by then.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#reading
    dropped.unregister(this)
    await io().close(this.#descriptor)
  }
}

function shortened(path: string): Error {
  return new Error(
    `${path} became shorter while it was sent. Replace files by renaming a new one, instead of writing into them.`,
  )
}

/** Number of hexadecimal digits of a fingerprint: the first ones of the content's SHA-256. */
export const FINGERPRINT_LENGTH = 16

/**
 * Time for which a changed file may change again without new stats, in milliseconds. File systems store times to 2
 * seconds at worst, and Linux to some milliseconds.
 */
const UNSETTLED = 2000

/** The stats of a file that change with its content, as a text. */
export interface FileVersion {
  readonly text: string
  /** Whether any change from now on has another text. */
  readonly settled: boolean
}

/**
 * Returns the version of a file: size, time of the last modification and of the last status change. Without the
 * latter, two deployments with fixed modification times (containers, Nix) would be equal.
 */
export function versionOf({ size, mtimeNs, ctimeNs }: BigIntStats): FileVersion {
  return {
    text: `${size.toString(36)}-${mtimeNs.toString(36)}-${ctimeNs.toString(36)}`,
    settled: Number(ctimeNs / 1_000_000n) + UNSETTLED < Date.now(),
  }
}
