/** Raw requests over a socket. */
import { connect } from 'node:net'
import { ROWS } from './http11-cases.ts'
import { judge } from './referee.ts'
import { onSite } from './site.ts'

/** Sends a request and resolves to the first response, as far as it arrives, when it is complete or the connection ends. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (data) => {
      received += String(data)
      if (!isComplete(received)) return
      socket.destroy()
      resolve(received)
    })
    socket.on('error', (error) => {
      // A server that refuses a request may reset the connection.
      if ('code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) resolve(received)
      else reject(error)
    })
    socket.on('end', () => resolve(received))
    socket.write(bytes, 'latin1')
  })
}

function isComplete(response: string): boolean {
  const end = response.indexOf('\r\n\r\n')
  if (end === -1) return false
  const head = response.slice(0, end)
  if (/^HTTP\/1\.1 (?:204|304) /.test(head)) return true
  if (/^transfer-encoding: *chunked/im.test(head)) return response.endsWith('\r\n0\r\n\r\n')
  const [, length] = /^content-length: *(\d+)/im.exec(head) ?? []
  return length !== undefined && response.length >= end + 4 + Number(length)
}

/** Returns the content of a response, without the framing of chunks. */
function contentOf(response: string): string {
  const end = response.indexOf('\r\n\r\n')
  const content = response.slice(end + 4)
  if (!/^transfer-encoding: *chunked/im.test(response.slice(0, end))) return content
  let text = ''
  for (let rest = content; ; ) {
    const start = rest.indexOf('\r\n') + 2
    const size = Number.parseInt(rest, 16)
    if (!(size > 0)) return text
    text += rest.slice(start, start + size)
    rest = rest.slice(start + size + 2)
  }
}

export const http11 = onSite({
  name: 'Http11Probe',
  version: '95bc6a9',
  source:
    'https://github.com/MDA2AV/Http11Probe/tree/95bc6a991b2ad2bddd61d58c92c36d543d895ffa/src/Http11Probe/TestCases/Suites',
  judges: 'raw requests to `serve()`',
  judge: (port) =>
    judge(
      ROWS.map(([id, section, bytes, allowed, lenient]) => ({
        name: `${id} (RFC 9112 ${section})`,
        input: bytes.replaceAll('HOST', 'Host: localhost\r\n'),
        allowed,
        lenient,
      })),
      async (bytes, allowed) => {
        const response = await exchange(port, bytes)
        const [, status = 'closed'] = /^HTTP\/1\.1 (\d{3})/.exec(response) ?? []
        const needsBody = allowed.some((each) => each.includes(' '))
        return needsBody ? `${status} ${contentOf(response)}` : status
      },
    ),
})
