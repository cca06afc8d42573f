/** Sends requests as bytes over kept connections, one after the other. */
import { connect, type Socket } from 'node:net'

/** Time after which a request without a whole response counts as one that hangs, in milliseconds. */
const PATIENCE = 30_000

/** A client whose connection is opened again when the server has closed it. */
export class RawClient {
  readonly #port: number
  #socket: Socket | undefined
  #received = ''
  #isLate = false
  #wake: () => void = () => {}

  constructor(port: number) {
    this.#port = port
  }

  /**
   * Sends a request and resolves to all that the server sends for it, as Latin-1: one response with its body, or less if the
   * server closes the connection.
   *
   * @throws Error - the response is not complete after 30 seconds.
   */
  async send(bytes: string): Promise<string> {
    const isKept = this.#socket?.readyState === 'open'
    let response = await this.#exchange(bytes)
    // The server may close a kept connection in the instant in which it is used again.
    if (response === '' && isKept) response = await this.#exchange(bytes)
    if (/^connection: *close/im.test(response)) this.close()
    return response
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  async #exchange(bytes: string): Promise<string> {
    const socket = this.#open()
    this.#received = ''
    const method = bytes.slice(0, bytes.indexOf(' '))
    const deadline = setTimeout(() => {
      this.#isLate = true
      socket.destroy()
    }, PATIENCE)
    socket.write(bytes, 'latin1')
    while (!socket.destroyed && !isComplete(this.#received, method)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    clearTimeout(deadline)
    if (this.#isLate) throw new Error(`No whole response to ${JSON.stringify(bytes)}: ${this.#received}`)
    return this.#received
  }

  #open(): Socket {
    if (this.#socket?.readyState === 'open') return this.#socket
    const socket = connect(this.#port, '127.0.0.1')
    socket.setNoDelay(true).setEncoding('latin1')
    socket.on('data', (chunk) => {
      this.#received += String(chunk)
      this.#wake()
    })
    // A server that closes with bytes unread resets the connection.
    socket.on('error', () => {})
    socket.on('close', () => this.#wake())
    this.#socket = socket
    return socket
  }
}

/** Returns true if a text holds a whole final response. One without a length ends with the connection. */
function isComplete(text: string, method: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const head = text.slice(0, end)
  const body = text.slice(end + 4)
  const status = Number(head.slice(9, 12))
  if (status < 200 && status !== 101) return isComplete(body, method)
  if (method === 'HEAD' || status === 204 || status === 304) return true
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  if (length !== undefined) return body.length >= Number(length)
  return /^transfer-encoding: *chunked/im.test(head) && /(?:^|\r\n)0\r\n\r\n$/.test(body)
}
