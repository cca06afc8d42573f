/**
 * A strict parser of requests (RFC 9112), as a second opinion on where each of several pipelined requests ends. It is written
 * for clarity and shares no code with node:http.
 */
import { METHODS } from 'node:http'

/** The head of a request. Names of fields are in lower case. */
export interface RequestHead {
  readonly method: string
  readonly target: string
  readonly version: string
  readonly fields: readonly (readonly [name: string, value: string])[]
}

export interface ParsedRequest extends RequestHead {
  readonly body: string
}

/** The requests of a connection. */
export interface ParsedRequests {
  /** Complete and well-formed requests, until one that ends the connection. */
  readonly requests: readonly ParsedRequest[]
  /**
   * What follows them: nothing, the beginning of a request, something malformed, or bytes behind a request that asks for another
   * protocol. node:http discards those that arrive with such a request, even if nobody listens for upgrades.
   */
  readonly rest: 'nothing' | 'partial' | 'malformed' | 'discarded'
  /** The head of the request in `rest`, if that is complete and well-formed. */
  readonly head: RequestHead | undefined
}

class Malformed extends Error {}
class Partial extends Error {}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const METHOD_NAMES = new Set(METHODS)

/** Parses all that a client has sent on a connection. */
export function parseRequests(text: string): ParsedRequests {
  const reader = new Reader(text)
  const requests: ParsedRequest[] = []
  let head: RequestHead | undefined
  try {
    for (;;) {
      head = undefined
      reader.skipBlankLines()
      if (reader.isAtEnd) return { requests, rest: 'nothing', head }
      head = reader.head()
      const body = reader.body(head)
      requests.push({ ...head, body })
      if (asksForUpgrade(head)) return { requests, rest: 'discarded', head: undefined }
      if (endsConnection(head)) return { requests, rest: 'nothing', head: undefined }
    }
  } catch (error) {
    if (error instanceof Malformed) return { requests, rest: 'malformed', head }
    if (error instanceof Partial) return { requests, rest: 'partial', head }
    throw error
  }
}

/** Returns the values of a field, joined as a list. Empty ones before the first that is not are left out. */
export function fieldOf({ fields }: RequestHead, name: string): string | undefined {
  const values = fields.filter(([own]) => own === name).map(([, value]) => value)
  return values.length === 0 ? undefined : values.reduce((all, value) => (all === '' ? value : `${all}, ${value}`))
}

function asksForUpgrade(head: RequestHead): boolean {
  return fieldOf(head, 'upgrade') !== undefined && /upgrade/i.test(fieldOf(head, 'connection') ?? '')
}

function endsConnection(head: RequestHead): boolean {
  const options = (fieldOf(head, 'connection') ?? '').toLowerCase().split(',')
  if (options.some((option) => option.trim() === 'close')) return true
  return head.version !== '1.1' && !options.some((option) => option.trim() === 'keep-alive')
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** A server should ignore empty lines before a request line (RFC 9112 §2.2), and node:http ignores lone CR and LF as well. */
  skipBlankLines(): void {
    while (this.#text[this.#at] === '\r' || this.#text[this.#at] === '\n') this.#at += 1
  }

  head(): RequestHead {
    // node:http allows several spaces between the parts (RFC 9112 §3: "MAY instead parse on whitespace-delimited word boundaries").
    const [method = '', target = '', protocol = '', ...more] = this.#line().split(/ +/)
    const [, version] = /^HTTP\/(1\.[01])$/.exec(protocol) ?? []
    if (version === undefined || more.length > 0 || !METHOD_NAMES.has(method) || method === 'CONNECT') {
      throw new Malformed('request line')
    }
    if (!/^[\x21-\x7e]+$/.test(target)) throw new Malformed('target')
    return { method, target, version, fields: this.#fields() }
  }

  body(head: RequestHead): string {
    const length = fieldOf(head, 'content-length')
    const coding = fieldOf(head, 'transfer-encoding')
    if (coding !== undefined) {
      if (length !== undefined || head.version !== '1.1' || coding.toLowerCase() !== 'chunked') {
        throw new Malformed('transfer coding')
      }
      return this.#chunks()
    }
    if (length === undefined) return ''
    if (!/^\d{1,15}$/.test(length)) throw new Malformed('Content-Length')
    return this.#take(Number(length))
  }

  #chunks(): string {
    let content = ''
    for (;;) {
      const [, size = ''] = /^([0-9a-f]{1,12})(?:;\w+(?:=\w+|="[\w;]*")?)*$/i.exec(this.#line()) ?? []
      if (size === '') throw new Malformed('chunk size')
      const length = Number.parseInt(size, 16)
      if (length === 0) break
      content += this.#take(length)
      if (this.#take(2) !== '\r\n') throw new Malformed('chunk')
    }
    this.#fields()
    return content
  }

  #fields(): [name: string, value: string][] {
    const fields: [string, string][] = []
    for (let line = this.#line(); line !== ''; line = this.#line()) {
      const colon = line.indexOf(':')
      const name = line.slice(0, Math.max(colon, 0))
      const value = line.slice(colon + 1)
      if (!TOKEN.test(name) || !VALUE.test(value)) throw new Malformed('field')
      // The parser of node:http refuses this, though RFC 9110 §5.5 allows white space after a value.
      if (/^transfer-encoding$/i.test(name) && value.endsWith('\t')) throw new Malformed('transfer coding')
      fields.push([name.toLowerCase(), value.replace(/^[ \t]+|[ \t]+$/g, '')])
    }
    return fields
  }

  #line(): string {
    const end = this.#text.indexOf('\n', this.#at)
    if (end < 0) throw new Partial('line')
    const line = this.#text.slice(this.#at, end)
    if (!line.endsWith('\r')) throw new Malformed('line end')
    this.#at = end + 1
    return line.slice(0, -1)
  }

  #take(length: number): string {
    const text = this.#text.slice(this.#at, this.#at + length)
    if (text.length < length) throw new Partial('body')
    this.#at += length
    return text
  }
}
