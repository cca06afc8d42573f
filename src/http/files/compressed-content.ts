import { RecentMap } from '../../base/recent-map.ts'
import { ChunkCompressor } from '../chunk-compressor.ts'
import { compressWell } from '../compression.ts'
import type { ContentCoding } from '../content-coding.ts'
import type { FileStream, OpenFile } from './open-file.ts'

/** Longer files are compressed each time while they are sent. In bytes. */
const MAX_WHOLE = 1024 * 1024

/** Size of all results that are kept, in bytes. */
const MAX_KEPT = 16 * 1024 * 1024

interface Kept {
  readonly etag: string
  readonly bytes: Promise<Uint8Array>
}

/** Compressed contents of files, the last used ones. */
export class CompressedContents {
  /** Results by coding and path. */
  readonly #kept = new RecentMap<Kept>({ size: MAX_KEPT })

  /**
   * Returns the compressed content of a file, and closes the file. The content of a short file is compressed once.
   *
   * @param etag - entity tag of the file as it is.
   */
  async of(file: OpenFile, etag: string, coding: ContentCoding): Promise<Uint8Array | FileStream> {
    if (file.size > MAX_WHOLE) return compressedStream(file.stream(), coding)
    const key = `${coding} ${file.path}`
    const kept = this.#kept.get(key)
    if (kept?.etag === etag) {
      await file.close()
      return kept.bytes
    }
    const bytes = file.bytes().then((content) => compressWell(content, coding))
    const made = { etag, bytes }
    this.#kept.set(key, made)
    try {
      const { length } = await bytes
      if (this.#kept.get(key) === made) this.#kept.set(key, made, length)
    } catch (error) {
      if (this.#kept.get(key) === made) this.#kept.delete(key)
      throw error
    }
    return bytes
  }
}

/** Returns the content of a file, compressed chunk by chunk at the pace at which it is pulled. `close()` closes the file. */
function compressedStream(source: FileStream, coding: ContentCoding): FileStream {
  let isClosed = false
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const compressor = new ChunkCompressor(coding)
    try {
      for await (const chunk of source) {
        const output = await compressor.write(chunk)
        if (isClosed) return
        yield output
      }
      if (!isClosed) yield await compressor.end(new Uint8Array(0))
    } finally {
      compressor.close()
    }
  }
  return {
    [Symbol.asyncIterator]: chunks,
    close() {
      isClosed = true
      return source.close()
    },
  }
}
