/** Measures the creation of environs from requests of node:http and with `createEnviron`. */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { createEnviron } from '../../src/wsgi/environ.ts'
import { nodeEnviron } from '../../src/wsgi/node/node-environ.ts'
import { rawPathInfo } from '../../src/wsgi/request-url.ts'
import { printTimings, time } from './time.ts'

const FEW = ['Host', '127.0.0.1', 'Connection', 'keep-alive']
const BROWSER = [
  ...FEW,
  ...['User-Agent', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36'],
  ...['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
  ...['Accept-Encoding', 'gzip, deflate, br, zstd'],
  ...['Accept-Language', 'en-GB,en;q=0.9'],
  ...['Cookie', 'session=0123456789abcdef; theme=dark'],
  ...['Referer', 'http://127.0.0.1/users'],
  ...['Sec-Fetch-Dest', 'document'],
  ...['Sec-Fetch-Mode', 'navigate'],
  ...['Sec-Fetch-Site', 'same-origin'],
  ...['Upgrade-Insecure-Requests', '1'],
]

const facts = { errors: { write() {}, flush() {} }, multiprocess: false }
const socket = new Socket()

function message(url: string, headers: string[]): IncomingMessage {
  const req = new IncomingMessage(socket)
  req.method = 'GET'
  req.url = url
  req.httpVersion = '1.1'
  req.rawHeaders = headers
  return req
}

const few = message('/hello/index', FEW)
const browser = message('/users/7?format=json', BROWSER)
const escaped = message('/users/J%C3%B6rg%20M', FEW)
const pairs: [string, string][] = []
for (let at = 0; at < BROWSER.length; at += 2) pairs.push([BROWSER[at] ?? '', BROWSER[at + 1] ?? ''])
const plainEnviron = createEnviron({ url: '/hello/index' })
const escapedEnviron = createEnviron({ url: '/users/J%C3%B6rg%20M' })

printTimings('Environs', [
  time('node:http, 2 headers', () => nodeEnviron(few, facts)),
  time('node:http, 12 headers and a query', () => nodeEnviron(browser, facts)),
  time('node:http, a path with escapes', () => nodeEnviron(escaped, facts)),
  time('createEnviron, 12 headers', () => createEnviron({ url: '/users/7?format=json', headers: pairs })),
  time('rawPathInfo, nothing escaped', () => rawPathInfo(plainEnviron)),
  time('rawPathInfo, escapes', () => rawPathInfo(escapedEnviron)),
])
