/** A strict parser of the responses on a connection (RFC 9112). */

/** A response. Names of fields are in lower case. */
export interface ParsedResponse {
  readonly status: number
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly body: string
  /** Whether the connection ends with this response. */
  readonly closes: boolean
}

export interface ParsedResponses {
  /** Complete final responses. */
  readonly responses: readonly ParsedResponse[]
  /** Statuses of interim responses. */
  readonly interim: readonly number[]
  /** Bytes of a response that is not complete. */
  readonly rest: string
}

/** Thrown for a response that no client should have to understand. */
export class MalformedResponse extends Error {
  override readonly name: string = 'MalformedResponse'
}

class Incomplete extends Error {}

/**
 * Parses responses.
 *
 * @param methods - methods of the requests, because responses to HEAD have no body.
 * @param isClosed - whether the connection is closed, so that a body without a length is complete.
 * @throws MalformedResponse - a response is malformed, or bytes follow one that ends the connection.
 */
export function parseResponses(text: string, methods: readonly string[], isClosed: boolean): ParsedResponses {
  const responses: ParsedResponse[] = []
  const interim: number[] = []
  let at = 0
  while (at < text.length) {
    if (responses.at(-1)?.closes === true) fail('bytes after the last response', text, at)
    const reader = new Reader(text, at, isClosed)
    try {
      const response = reader.response(methods[responses.length] ?? 'GET')
      if (response.status < 200) interim.push(response.status)
      else responses.push(response)
      at = reader.at
    } catch (error) {
      if (!(error instanceof Incomplete)) throw error
      return { responses, interim, rest: text.slice(at) }
    }
  }
  return { responses, interim, rest: '' }
}

function fail(problem: string, text: string, at: number): never {
  throw new MalformedResponse(`${problem} at ${at}: ${JSON.stringify(text.slice(at, at + 300))}`)
}

class Reader {
  at: number
  readonly #text: string
  readonly #isClosed: boolean

  constructor(text: string, at: number, isClosed: boolean) {
    this.#text = text
    this.at = at
    this.#isClosed = isClosed
  }

  response(method: string): ParsedResponse {
    const line = this.#line()
    const [, code = ''] = /^HTTP\/1\.1 ([1-5]\d\d) [\t\x20-\x7e\x80-\xff]*$/.exec(line) ?? []
    if (code === '') fail('no status line', line, 0)
    const status = Number(code)
    const fields = this.#fields()
    const lengths = fields.get('content-length') ?? []
    const codings = fields.get('transfer-encoding') ?? []
    if (lengths.length + codings.length > 1) fail('two lengths', line, 0)
    if ((fields.get('date') ?? []).length > 1) fail('two dates', line, 0)
    const isBodiless = method === 'HEAD' || status === 304 || status === 204 || status < 200
    if ((status === 204 || status < 200) && lengths.length + codings.length > 0) fail('a length', line, 0)
    const options = (fields.get('connection') ?? []).join(',').toLowerCase()
    const isUntilEnd = !isBodiless && lengths.length + codings.length === 0
    const closes = isUntilEnd || options.includes('close')
    const [length] = lengths
    let body = ''
    if (length !== undefined && !/^\d+$/.test(length)) fail('Content-Length', length, 0)
    if (codings.length > 0 && codings[0] !== 'chunked') fail('Transfer-Encoding', String(codings[0]), 0)
    if (!isBodiless) {
      if (isUntilEnd) body = this.#rest()
      else body = length === undefined ? this.#chunks() : this.#take(Number(length))
    }
    return { status, fields, body, closes }
  }

  #fields(): Map<string, string[]> {
    const fields = new Map<string, string[]>()
    for (let line = this.#line(); line !== ''; line = this.#line()) {
      const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? []
      if (name === '') fail('a malformed field', line, 0)
      const key = name.toLowerCase()
      fields.set(key, [...(fields.get(key) ?? []), value])
    }
    return fields
  }

  #chunks(): string {
    let content = ''
    for (;;) {
      const line = this.#line()
      if (!/^[0-9a-f]+$/i.test(line)) fail('a malformed chunk', line, 0)
      const length = Number.parseInt(line, 16)
      if (length === 0) break
      content += this.#take(length)
      if (this.#take(2) !== '\r\n') fail('no end of a chunk', line, 0)
    }
    this.#fields()
    return content
  }

  #rest(): string {
    if (!this.#isClosed) throw new Incomplete()
    return this.#take(this.#text.length - this.at)
  }

  #line(): string {
    const end = this.#text.indexOf('\r\n', this.at)
    if (end < 0) throw new Incomplete()
    const line = this.#text.slice(this.at, end)
    this.at = end + 2
    return line
  }

  #take(length: number): string {
    const text = this.#text.slice(this.at, this.at + length)
    if (text.length < length) throw new Incomplete()
    this.at += length
    return text
  }
}
