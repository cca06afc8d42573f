/** Requests of every kind to the application of `app.ts`, good and bad ones. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

const kept = new Agent({ keepAlive: true, maxSockets: 4 })
const fresh = new Agent({ keepAlive: false })

/** Sends requests to a server, and keeps its cookies. */
export class MixedLoad {
  readonly #url: string
  #cookie = ''
  #number = 0

  constructor(url: string) {
    this.#url = url
  }

  /** Sends one request of each kind, with half of them on connections of their own. */
  async round(): Promise<void> {
    for (const kind of KINDS) {
      this.#number += 1
      await kind(this)
    }
  }

  async open(path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<IncomingMessage> {
    const agent = this.#number % 2 === 0 ? kept : fresh
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const cookie = this.#cookie === '' ? {} : { cookie: this.#cookie }
    const sent = request(this.#url + path, { agent, method, headers: { ...headers, ...length, ...cookie } })
    sent.end(body)
    const [response]: [IncomingMessage] = (await once(sent, 'response')) as [IncomingMessage]
    const [set] = response.headers['set-cookie'] ?? []
    if (set !== undefined) this.#cookie = set.split(';', 1)[0] ?? ''
    return response
  }

  /** Sends a request and reads the response. */
  async send(path: string, status: number, sent?: Sent): Promise<string> {
    const response = await this.open(path, sent)
    let text = ''
    for await (const chunk of response.setEncoding('latin1')) text += chunk
    assert.equal(response.statusCode, status, `${path}: ${text.slice(0, 200)}`)
    return text
  }

  /** Sends bytes, waits for the first of the answer, if there is any, and leaves. */
  async abandon(bytes: string, waits: boolean): Promise<void> {
    const { hostname, port } = new URL(this.#url)
    const socket = connect(Number(port), hostname).on('error', () => {})
    await once(socket, 'connect')
    socket.write(bytes)
    if (waits) await once(socket, 'data')
    else await sleep(5)
    socket.resetAndDestroy()
  }

  /** Starts afresh with cookies. */
  forget(): void {
    this.#cookie = ''
  }
}

const json = (body: string): Sent => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/json' },
})
const BOUNDARY = 'x-boundary-x'
const FORM = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
const FILE = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${'y'.repeat(100_000)}`
const XML = (name: string) => ({
  method: 'POST',
  headers: { 'content-type': 'text/xml' },
  body: `<methodCall><methodName>${name}</methodName><params><param><value><int>1</int></value></param><param><value><int>2</int></value></param></params></methodCall>`,
})
const CALL = (method: string, params: unknown) => json(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
const MCP = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': '2025-06-18',
}

/** The kinds of requests. */
const KINDS: readonly ((load: MixedLoad) => Promise<unknown>)[] = [
  (load) => load.send('/index', 200),
  (load) => load.send('/page', 200, { headers: { 'accept-encoding': 'gzip' } }),
  (load) => load.send('/nothing', 404),
  (load) => load.send('/a/b/c', 404, { headers: { accept: 'text/html' } }),
  (load) => load.send('/error', 500),
  (load) => load.send('/rejection', 200),
  (load) => load.send('/index', 200, { method: 'OPTIONS' }).catch(() => {}),
  (load) => load.send('/json', 200, json('{"a":[1,2,3]}')),
  (load) => load.send('/json', 400, json('{"a":')),
  (load) => load.send('/index', 403, { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }),
  (load) => load.send('/upload', 200, { method: 'POST', headers: FORM, body: `${FILE}\r\n--${BOUNDARY}--\r\n` }),
  (load) => load.send('/upload', 400, { method: 'POST', headers: FORM, body: FILE }),
  (load) => load.send('/download', 200, { headers: { 'accept-encoding': 'br' } }),
  (load) => load.send('/download', 206, { headers: { range: 'bytes=5-9' } }),
  (load) => load.send('/stream', 200),
  (load) => assert.rejects(load.send('/broken', 200)),
  (load) => load.send('/visit', 200),
  (load) => load.send('/login', 200),
  (load) => load.send('/visit', 200),
  (load) => load.send('/logout', 200),
  async (load) => load.forget(),
  (load) => load.send('/stock', 200, XML('add')),
  (load) => load.send('/stock', 200, XML('fail')),
  (load) => load.send('/stock', 200, { ...XML('add'), body: '<methodCall>' }),
  (load) => load.send('/stock', 200, CALL('add', [1, 2])),
  (load) => load.send('/stock', 200, CALL('fail', [])),
  (load) => load.send('/stock/add', 200, json('{"a":1,"b":2}')),
  (load) => load.send('/stock/add', 400, json('{"a":"x","b":2}')),
  (load) => load.send('/stock/mcp', 200, { ...CALL('tools/list', {}), headers: MCP }),
  (load) => load.send('/stock/openapi.json', 200),
  (load) => load.send('/healthz', 200),
  async (load) => {
    const response = await load.open('/events')
    for await (const _ of response) break
    response.destroy()
  },
  (load) => load.abandon('GET /download HTTP/1.1\r\nHost: x\r\n\r\n', true),
  (load) => load.abandon('GET /stream HTTP/1.1\r\nHost: x\r\n\r\n', true),
  (load) => load.abandon('GET /events HTTP/1.1\r\nHost: x\r\n\r\n', true),
  (load) => load.abandon('GET /ind', false),
  (load) => load.abandon('POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"a"', false),
  (load) =>
    load.abandon(
      `POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\nContent-Type: ${FORM['content-type']}\r\n\r\n${FILE}`,
      false,
    ),
  (load) => load.abandon('GET / HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n', true),
]

/** Number of requests in a round. */
export const ROUND = KINDS.length
