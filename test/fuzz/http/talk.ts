/** A client that writes bytes in pieces and gathers what the server sends. */
import net from 'node:net'

/** The server's half of a conversation. */
export interface Heard {
  /** All bytes, as text. */
  readonly text: string
  /** Code of the error with which the connection ended: ECONNRESET, EPIPE. Undefined if it was closed in order. */
  readonly error: string | undefined
}

/** How to talk. */
export interface Talk {
  readonly port: number
  /** Pieces, each written in a later turn of the event loop than the one before. */
  readonly pieces: readonly string[]
  /**
   * Called with all bytes heard, until it returns true. The client closes its side then, or cuts the connection. Undefined if
   * the server is to close first.
   */
  readonly isDone?: (heard: string) => boolean
  /** Whether the client resets the connection instead of closing its side. */
  readonly cuts?: boolean
}

/** Time after which a server that neither answers nor closes has hung, in milliseconds. */
const PATIENCE = 20_000

/** Talks to a server on this machine until the connection is closed. */
export function talk({ port, pieces, isDone, cuts = false }: Talk): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    let text = ''
    let error: string | undefined
    let hasWritten = false
    let hasEnded = false
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`The server neither answers nor closes. It has sent ${JSON.stringify(text.slice(0, 500))}`))
    }, PATIENCE)
    const endIfDone = () => {
      if (!hasWritten || hasEnded || isDone?.(text) !== true) return
      hasEnded = true
      if (cuts) socket.resetAndDestroy()
      else socket.end()
    }
    socket.setEncoding('latin1')
    socket.on('data', (data) => {
      text += String(data)
      endIfDone()
    })
    socket.on('error', (reason: NodeJS.ErrnoException) => {
      error = reason.code ?? reason.message
    })
    socket.on('close', () => {
      clearTimeout(timer)
      resolve({ text, error })
    })
    const waiting = [...pieces]
    const write = () => {
      if (socket.destroyed || !socket.writable) return
      const piece = waiting.shift()
      if (piece !== undefined) {
        socket.write(piece, 'latin1', () => setImmediate(write))
        return
      }
      hasWritten = true
      endIfDone()
    }
    socket.on('connect', write)
  })
}

/** Cuts a text at positions between 0 and 1. */
export function cut(text: string, places: readonly number[]): string[] {
  const ends = places.map((place) => Math.floor(place * text.length)).sort((one, other) => one - other)
  const pieces: string[] = []
  let start = 0
  for (const end of [...ends, text.length]) {
    if (end > start) pieces.push(text.slice(start, end))
    start = Math.max(start, end)
  }
  return pieces
}
