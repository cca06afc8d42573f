/** Sends a request and checks the complete response, so that only correct responses are measured. */
import { connect } from 'node:net'
import { type Answer, requestText, type Work } from './works/work.ts'

/** Framing of a response, by which the load finds its end. */
export interface Framing {
  readonly status: number
  /** Length of head and body, in bytes; null for a chunked body. */
  readonly length: number | null
}

/**
 * Sends the request of a work and checks the response.
 *
 * @throws AssertionError - the response is wrong.
 * @throws Error - the response is not HTTP, or has the wrong status.
 */
export async function probe(work: Work, port: number): Promise<Framing> {
  const { answer, framing } = await ask(requestText(work), port)
  if (answer.status !== work.status) {
    throw new Error(`status ${answer.status} instead of ${work.status}: ${answer.body.slice(0, 200)}`)
  }
  work.check(answer)
  return framing
}

/** Sends a request over a new connection. */
export function ask(request: string, port: number): Promise<{ answer: Answer; framing: Framing }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = Buffer.alloc(0)
    socket.setTimeout(10_000, () => socket.destroy(new Error('no response within 10 s')))
    socket.on('connect', () => socket.write(request))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed the connection before the response was complete')))
    socket.on('data', (data: Buffer) => {
      received = Buffer.concat([received, data])
      const whole = parse(received)
      if (whole === undefined) return
      resolve(whole)
      socket.destroy()
    })
  })
}

function parse(received: Buffer): { answer: Answer; framing: Framing } | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1])
  if (!(status >= 200)) throw new Error(`not an HTTP/1.1 response: ${statusLine}`)
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  if (headers.get('connection') === 'close') throw new Error('the connection is not kept alive')
  const body = received.subarray(end + 4)
  if (headers.get('transfer-encoding') === 'chunked') {
    if (!received.subarray(-5).equals(Buffer.from('0\r\n\r\n'))) return undefined
    return { answer: { status, headers, body: unchunked(body) }, framing: { status, length: null } }
  }
  const length = Number(headers.get('content-length'))
  if (!(length >= 0)) throw new Error('the response has neither Content-Length nor Transfer-Encoding: chunked')
  if (body.length < length) return undefined
  if (body.length > length) throw new Error(`a body of ${body.length} bytes with Content-Length ${length}`)
  return {
    answer: { status, headers, body: body.toString() },
    framing: { status, length: end + 4 + length },
  }
}

function unchunked(body: Buffer): string {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const line = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.subarray(at, line).toString('latin1'), 16)
    if (line < 0 || !(size >= 0)) throw new Error('a chunk has no size')
    if (size === 0) return Buffer.concat(chunks).toString()
    chunks.push(body.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}
