/** Defines a work: a request that is measured on all servers, and the expected response. */

/** A complete response, with the transfer coding decoded. */
export interface Answer {
  readonly status: number
  /** Header values, by lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export interface Work {
  readonly name: string
  /** Heading of the table. */
  readonly title: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly status: number
  /** Number of concurrent connections. */
  readonly connections: number
  /**
   * Minimum number of requests of a window, per second of its length. A window is extended until it has them, because
   * with few requests mostly the compiler would be measured.
   */
  readonly rate: number
  /** Name of the peer that the ratio refers to. Defaults to the bare server of the runtime. */
  readonly baseline?: string
  /**
   * Checks a response.
   *
   * @throws AssertionError - the response is wrong.
   */
  check(answer: Answer): void
}

/** The header fields of a request for a page by Chromium, in its order. */
const BROWSER = {
  Host: '127.0.0.1',
  Connection: 'keep-alive',
  'Cache-Control': 'max-age=0',
  'sec-ch-ua': '"Chromium";v="146", "Not)A;Brand";v="24"',
  'Upgrade-Insecure-Requests': '1',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'Sec-Fetch-Site': 'same-origin',
  'Sec-Fetch-Mode': 'navigate',
  'Accept-Encoding': 'identity',
  'Accept-Language': 'en-US,en;q=0.9,de;q=0.8',
}

/** Returns a work as 64 browsers send it at the same time, each without a pause. */
export function byBrowsers(work: Omit<Work, 'connections'>): Work {
  return { ...work, headers: { ...BROWSER, ...work.headers }, connections: 64 }
}

/** Returns the text of a request, with the header fields that clients usually send. */
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
