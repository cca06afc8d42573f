/** A client over TLS that keeps cookies as browsers do. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { text } from 'node:stream/consumers'
import { CookieJar } from 'tough-cookie'
import { BROWSER } from '../../examples/wiki/wiki.ts'

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export class Browser {
  readonly jar = new CookieJar()
  readonly #origin: string
  readonly #options: RequestOptions

  /** @param options - such as the certificate of the server, and the address to connect from. */
  constructor(origin: string, options: RequestOptions) {
    this.#origin = origin
    this.#options = options
  }

  /** Sends a request, and returns the response before its body. */
  async open(method: string, path: string, { headers = {}, form, body }: Sent = {}): Promise<IncomingMessage> {
    const url = this.#origin + path
    const all: Record<string, string> = {
      accept: BROWSER,
      cookie: await this.jar.getCookieString(url),
      ...headers,
    }
    if (all.cookie === '') delete all.cookie
    if (form !== undefined) all['content-type'] = 'application/x-www-form-urlencoded'
    const content = form === undefined ? body : new URLSearchParams(form).toString()
    if (content !== undefined) all['content-length'] = String(Buffer.byteLength(content))
    const req = request(url, { ...this.#options, method, headers: all })
    req.end(content)
    const [response]: [IncomingMessage] = (await once(req, 'response')) as [IncomingMessage]
    for (const cookie of response.headers['set-cookie'] ?? []) await this.jar.setCookie(cookie, url)
    return response
  }

  async send(method: string, path: string, sent?: Sent): Promise<Answer> {
    const response = await this.open(method, path, sent)
    return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) }
  }
}

/** Returns a body of `multipart/form-data` with one file, and its type. */
export function upload(name: string, content: string) {
  const boundary = `----${crypto.randomUUID()}`
  const head = `Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/plain`
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `--${boundary}\r\n${head}\r\n\r\n${content}\r\n--${boundary}--\r\n`,
  }
}
