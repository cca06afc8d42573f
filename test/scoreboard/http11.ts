/** Raw requests over a socket to `serve()`. */
import { connect } from 'node:net'
import { serve } from 'propylon/node'
import type { ErrorStream, WSGIApplication } from 'propylon/wsgi'
import { ROWS } from './http11-cases.ts'
import { judge, type Referee } from './referee.ts'

/** Returns the body of the request. */
const echo: WSGIApplication = async (environ, start_response) => {
  const body = await environ['wsgi.input'].read()
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return [body]
}

const silent: ErrorStream = { write() {}, flush() {} }

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
  const [, length] = /^content-length: *(\d+)/im.exec(response.slice(0, end)) ?? []
  return length !== undefined && response.length >= end + 4 + Number(length)
}

export const http11: Referee = {
  name: 'Http11Probe',
  version: '95bc6a9',
  source:
    'https://github.com/MDA2AV/Http11Probe/tree/95bc6a991b2ad2bddd61d58c92c36d543d895ffa/src/Http11Probe/TestCases/Suites',
  judges: 'raw requests to `serve()`',
  async run() {
    const server = await serve(echo, { errors: silent })
    try {
      return await judge(
        ROWS.map(([id, section, bytes, allowed, lenient]) => ({
          name: `${id} (RFC 9112 ${section})`,
          input: bytes.replaceAll('HOST', 'Host: localhost\r\n'),
          allowed,
          lenient,
        })),
        async (bytes, allowed) => {
          const response = await exchange(server.port, bytes)
          const [, status = 'closed'] = /^HTTP\/1\.1 (\d{3})/.exec(response) ?? []
          const needsBody = allowed.some((each) => each.includes(' '))
          return needsBody ? `${status} ${response.slice(response.indexOf('\r\n\r\n') + 4)}` : status
        },
      )
    } finally {
      await server.close()
    }
  },
}
