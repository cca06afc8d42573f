/** Raw requests over a socket: cases of Http11Probe. */
import { connect } from 'node:net'
import { describe } from 'node:test'
import { FrameworkApp, Mapper } from 'propylon'
import type { WSGIApplication } from 'propylon/wsgi'
import { agrees } from './cases.ts'
import { servedFor } from './client.ts'

/** Statuses of a request that must be refused. */
const REFUSED = ['400'] as const
const REFUSED_OR_CLOSED = ['400', 'closed'] as const
/** A request that should be refused. Http11Probe warns if it is not. */
const EITHER = [REFUSED_OR_CLOSED, ['200']] as const

/**
 * A request as bytes, the statuses that Http11Probe allows, and those of which it warns. `HOST` stands for the field Host and its
 * line end, `closed` for a connection closed without a response.
 */
type Row = readonly [
  id: string,
  section: string,
  bytes: string,
  allowed: readonly string[],
  lenient?: readonly string[],
]

const get = (head: string) => `GET / HTTP/1.1\r\nHOST${head}\r\n`
const post = (fields: string, body: string) => `POST / HTTP/1.1\r\nHOST${fields}\r\n${body}`
const length = (value: string, body = 'hello') => post(`Content-Length: ${value}\r\n`, body)
const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body)
const coding = (field: string) => post(`${field}\r\nContent-Length: 5\r\n`, 'hello')

const ROWS: readonly Row[] = [
  ['baseline', '§3', get(''), ['200']],
  ['bare LF after the request line', '§2.2', 'GET / HTTP/1.1\nHOST\r\n', ...EITHER],
  ['bare LF after a field', '§2.2', 'GET / HTTP/1.1\r\nHost: localhost\nX-Test: value\r\n\r\n', ...EITHER],
  ['CR as line end', '§2.2', 'GET / HTTP/1.1\rHOST\r\n', REFUSED],
  ['empty lines before the request', '§2.2', `\r\n\r\n${get('')}`, ...EITHER],
  ['blank before the fields', '§2.2', 'GET / HTTP/1.1\r\n \r\nHOST\r\n', REFUSED_OR_CLOSED],
  ['version 9.9', '§2.3', 'GET / HTTP/9.9\r\nHOST\r\n', ['400', '505', 'closed']],
  ['two blanks in the request line', '§3', 'GET  / HTTP/1.1\r\nHOST\r\n', ...EITHER],
  ['no target', '§3', 'GET HTTP/1.1\r\nHOST\r\n', REFUSED_OR_CLOSED],
  ['method get', '§3.1', 'get / HTTP/1.1\r\nHOST\r\n', ['400', '405', '501', 'closed'], ['200']],
  ['fragment in the target', '§3.2', 'GET /path#frag HTTP/1.1\r\nHOST\r\n', ...EITHER],
  ['no Host', '§3.2', 'GET / HTTP/1.1\r\n\r\n', REFUSED],
  ['two Host fields that differ', '§3.2', get('Host: other.example.com\r\n'), REFUSED],
  ['two Host fields that are equal', '§3.2', get('HOST'), REFUSED],
  ['Host with user', '§3.2', 'GET / HTTP/1.1\r\nHost: user@localhost\r\n\r\n', REFUSED_OR_CLOSED],
  ['Host with path', '§3.2', 'GET / HTTP/1.1\r\nHost: localhost/path\r\n\r\n', REFUSED_OR_CLOSED],
  ['target in absolute form', '§3.2.2', 'GET http://localhost/ HTTP/1.1\r\nHOST\r\n', ['200'], ['400', 'closed']],
  ['GET *', '§3.2.4', 'GET * HTTP/1.1\r\nHOST\r\n', REFUSED_OR_CLOSED],
  ['OPTIONS *', '§3.2.4', 'OPTIONS * HTTP/1.1\r\nHOST\r\n', ['200', '204']],
  ['blank before the colon', '§5.1', get('X-Test : value\r\n'), REFUSED],
  ['folded line', '§5.2', get('X-Test: value\r\n continued\r\n'), REFUSED],
  ['empty name', '§5', get(': empty-name\r\n'), REFUSED_OR_CLOSED],
  ['bracket in a name', '§5', get('Bad[Name: value\r\n'), REFUSED_OR_CLOSED],
  ['no colon', '§5', get('NoColonHere\r\n'), REFUSED_OR_CLOSED],
  ['bytes beyond ASCII in a name', '§5', get('X-T\xc3\xabst: value\r\n'), REFUSED_OR_CLOSED],
  ['CR in a value', '§2.2', post('Content-Length: 5\r\nX-Test: val\rue\r\n', 'hello'), REFUSED_OR_CLOSED],
  ['control characters in a value', '§5', get('X-Test: abc\x07\x08\x0bdef\r\n'), REFUSED_OR_CLOSED],
  ['NUL in a value', '§5', get('X-Test: val\0ue\r\n'), REFUSED_OR_CLOSED],
  ['NUL in the target', '§3.2', 'GET /\0test HTTP/1.1\r\nHOST\r\n', REFUSED_OR_CLOSED],
  ['bytes beyond ASCII in the target', '§3.2', 'GET /caf\xc3\xa9 HTTP/1.1\r\nHOST\r\n', REFUSED_OR_CLOSED],
  ['overlong UTF-8 in the target', '§3.2', 'GET /\xc0\xaf HTTP/1.1\r\nHOST\r\n', REFUSED_OR_CLOSED],
  ['backslash in the target', '§3.2', 'GET /path\\file HTTP/1.1\r\nHOST\r\n', REFUSED_OR_CLOSED, ['200', '404']],
  ['%00 in the target', '§3.2', 'GET /path%00.html HTTP/1.1\r\nHOST\r\n', REFUSED_OR_CLOSED, ['200', '404']],
  ['preface of HTTP/2', '§2.3', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ['400', '505', 'closed']],
  ['Content-Length abc', '§6.2', length('abc', ''), REFUSED_OR_CLOSED],
  ['Content-Length +5', '§6.2', length('+5'), REFUSED_OR_CLOSED],
  ['Content-Length -1', '§6.2', length('-1', ''), REFUSED_OR_CLOSED],
  ['Content-Length 0x5', '§6.2', length('0x5'), REFUSED_OR_CLOSED],
  ['Content-Length 0o5', '§6.2', length('0o5'), REFUSED_OR_CLOSED],
  ['Content-Length 1 0', '§6.2', length('1 0', 'hello12345'), REFUSED_OR_CLOSED],
  ['Content-Length 005', '§6.2', length('005'), ...EITHER],
  ['Content-Length 5, 10', '§6.3', length('5, 10'), REFUSED_OR_CLOSED],
  ['Content-Length 5, 5', '§6.3', length('5, 5'), ...EITHER],
  ['empty Content-Length', '§6.2', length('', ''), REFUSED_OR_CLOSED],
  ['Content-Length beyond 64 bits', '§6.2', length('99999999999999999999', ''), REFUSED_OR_CLOSED],
  ['two lengths', '§6.3', post('Content-Length: 5\r\nContent-Length: 10\r\n', 'helloworld'), REFUSED_OR_CLOSED],
  ['blank after the length', '§5.1', length('5 '), ...EITHER],
  ['tab before the length', '§5.1', post('Content-Length:\t5\r\n', 'hello'), ...EITHER],
  ['body of a length', '§6.2', length('5'), ['200 hello']],
  ['length 0', '§6.2', length('0', ''), ['200']],
  ['POST without length', '§6.3', post('', ''), ['200']],
  [
    'length and chunks',
    '§6.3',
    post('Content-Length: 23\r\nTransfer-Encoding: chunked\r\n', 'D\r\nhello-bananas\r\n0\r\n\r\n'),
    ...EITHER,
  ],
  ['coding xchunked', '§6.1', coding('Transfer-Encoding: xchunked'), ['400', '501', 'closed']],
  ['coding gzip alone', '§6.1', post('Transfer-Encoding: gzip\r\n', ''), ['400', '501', 'closed']],
  ['coding identity', '§7', coding('Transfer-Encoding: identity'), ['400', '501', 'closed']],
  ['coding chunked, gzip', '§6.3', post('Transfer-Encoding: chunked, gzip\r\n', '0\r\n\r\n'), REFUSED_OR_CLOSED],
  ['blank before the colon of the coding', '§5.1', coding('Transfer-Encoding : chunked'), REFUSED],
  ['empty coding', '§6.1', coding('Transfer-Encoding: '), REFUSED_OR_CLOSED],
  ['coding after a vertical tab', '§6.1', coding('Transfer-Encoding: \x0bchunked'), REFUSED_OR_CLOSED],
  ['coding with a NUL', '§6.1', coding('Transfer-Encoding: chunked\0'), REFUSED_OR_CLOSED],
  ['two codings', '§6.1', coding('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity'), REFUSED_OR_CLOSED],
  [
    'coding in HTTP/1.0',
    '§6.1',
    'POST / HTTP/1.0\r\nHOSTTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nhello',
    REFUSED_OR_CLOSED,
  ],
  ['Transfer_Encoding', '§6.1', coding('Transfer_Encoding: chunked'), ...EITHER],
  ['one chunk', '§7.1', chunked('5\r\nhello\r\n0\r\n\r\n'), ['200 hello']],
  ['two chunks', '§7.1', chunked('5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n'), ['200 hello world']],
  ['no chunk', '§7.1', chunked('0\r\n\r\n'), ['200']],
  ['size 0x5', '§7.1', chunked('0x5\r\nhello\r\n0\r\n\r\n'), REFUSED_OR_CLOSED],
  ['size +5', '§7.1', chunked('+5\r\nhello\r\n0\r\n\r\n'), REFUSED_OR_CLOSED],
  ['size -1', '§7.1', chunked('-1\r\nhello\r\n0\r\n\r\n'), REFUSED_OR_CLOSED],
  ['size 1_0', '§7.1', chunked('1_0\r\nhello world!!!!!\r\n0\r\n\r\n'), REFUSED_OR_CLOSED],
  ['blank before the size', '§7.1', chunked(' 5\r\nhello\r\n0\r\n\r\n'), REFUSED_OR_CLOSED],
  ['blank after the size', '§7.1', chunked('5 \r\nhello\r\n0\r\n\r\n'), REFUSED_OR_CLOSED],
  ['size beyond 64 bits', '§7.1', chunked('FFFFFFFFFFFFFFFF0\r\nhello\r\n0\r\n\r\n'), REFUSED_OR_CLOSED],
  ['chunk longer than its size', '§7.1', chunked('5\r\nhello!!\r\n0\r\n\r\n'), REFUSED_OR_CLOSED],
  ['chunk without line end', '§7.1', chunked('5\r\nhello0\r\n\r\n'), REFUSED_OR_CLOSED],
  ['LF after a chunk', '§7.1', chunked('5\r\nhello\n0\r\n\r\n'), ...EITHER],
  ['LF in an extension', '§7.1.1', chunked('5;\nhello\r\n0\r\n\r\n'), ...EITHER],
  ['empty extension', '§7.1.1', chunked('5;\r\nhello\r\n0\r\n\r\n'), REFUSED_OR_CLOSED],
  ['bracket in an extension', '§7.1.1', chunked('5;bad[=x\r\nhello\r\n0\r\n\r\n'), REFUSED_OR_CLOSED],
  ['NUL in an extension', '§7.1.1', chunked('5;\0ext\r\nhello\r\n0\r\n\r\n'), REFUSED_OR_CLOSED],
  ['CR in an extension', '§7.1.1', chunked('5;a\rX\r\nhello\r\n0\r\n\r\n'), REFUSED_OR_CLOSED],
]

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

/** Returns the body of the request. */
const echo: WSGIApplication = async (environ, start_response) => {
  const body = await environ['wsgi.input'].read()
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return [body]
}

describe('serve()', () => {
  const map = new Mapper().connect('/{path_info:.*}', { controller: 'echo' })
  const port = servedFor(() => new FrameworkApp({ map, controllers: { echo } }))
  const cases = ROWS.map(([id, section, bytes, allowed, lenient = []]) => ({
    name: `${id} (RFC 9112 ${section})`,
    input: bytes.replaceAll('HOST', 'Host: localhost\r\n'),
    allowed: [...allowed, ...lenient],
  }))

  // https://github.com/MDA2AV/Http11Probe/tree/95bc6a991b2ad2bddd61d58c92c36d543d895ffa/src/Http11Probe/TestCases/Suites
  agrees('Http11Probe', cases, async (bytes, allowed) => {
    const response = await exchange(port(), bytes)
    const [, status = 'closed'] = /^HTTP\/1\.1 (\d{3})/.exec(response) ?? []
    const needsBody = allowed.some((each) => each.includes(' '))
    return needsBody ? `${status} ${contentOf(response)}` : status
  })
})
