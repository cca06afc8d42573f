/** What a piece of work is. */

/** A whole response, its transfer coding undone. */
export interface Answer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export interface Work {
  readonly name: string
  /** What stands in the table. */
  readonly title: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly status: number
  /** How many connections ask at the same time. */
  readonly connections: number
  /**
   * For how many requests a second a window has to hold at least, however busy the machine is: with few of them, what
   * is measured is the compiler.
   */
  readonly rate: number
  /** To whom the ratio is, in place of the runtime's bare server. */
  readonly baseline?: string
  /** @throws AssertionError when the answer is not right. */
  check(answer: Answer): void
}

/** The request as it goes over the wire: what a browser sends, or a program. */
export function requestText(work: Work): string {
  const { method, path, headers = {}, body = '' } = work
  const all: Record<string, string> = {
    Host: '127.0.0.1',
    Connection: 'keep-alive',
    'User-Agent': 'propylon-bench/1',
    Accept: '*/*',
    'Accept-Encoding': 'identity',
    'Accept-Language': 'en',
    ...headers,
  }
  if (method === 'POST') all['Content-Length'] = String(Buffer.byteLength(body))
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}
