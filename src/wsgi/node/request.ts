/**
 * A request of node:http whose body can be had without a stream's events.
 *
 * @module
 */
import { IncomingMessage } from 'node:http'

/** Who takes a body as it arrives. */
export interface BodySink {
  /** @returns whether the piece was taken; if not, it waits in the stream. */
  take(piece: Uint8Array): boolean
  end(): void
  lose(cause: Error | null): void
}

/**
 * What `serve()` makes of each request. The parser pushes the body into it as into any stream. While somebody waits for
 * the body, its pieces go there and pass the stream by, whose events would take a twentieth of a small form's time.
 *
 * The stream is not told of what passes it by: it takes itself to be reading still, which the parser does.
 */
export class DirectRequest extends IncomingMessage {
  sink: BodySink | undefined

  override push(piece: Uint8Array | null, encoding?: BufferEncoding): boolean {
    const { sink } = this
    if (piece !== null) {
      const isTaken = this.readableLength === 0 && sink?.take(piece) === true
      return isTaken || super.push(piece, encoding)
    }
    const more = super.push(null)
    if (this.readableLength === 0) sink?.end()
    return more
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.sink?.lose(error)
    super._destroy(error, done)
  }
}
