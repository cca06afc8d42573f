/**
 * The head of a response: what `start_response` is given, checked and ready to be sent.
 *
 * @module
 */
import { parseContentLength } from './content-length.ts'
import { checkHeaderValue, headerKind, shown } from './headers.ts'
import { readStatus } from './status.ts'
import type { HeaderPair } from './types.ts'

/** Status and header fields of a response. */
export interface Head {
  /** 200 to 599. */
  readonly code: number
  /** The reason phrase, fit to be sent. */
  readonly reason: string
  /** The header fields in their order: name, value, name, value, and so on. */
  readonly fields: string[]
  /** What Content-Length declares, -1 when it is absent. */
  length: number
  /** Whether reason and fields are plain ASCII. */
  readonly ascii: boolean
}

/**
 * Checks status and headers. What comes back is a copy: changing the headers later changes nothing.
 *
 * @throws TypeError or RangeError that says what is wrong and how to mend it.
 */
export function makeHead(status: string, headers: readonly HeaderPair[]): Head {
  const { code, reason, isAscii } = readStatus(status)
  if (code < 200) {
    throw new RangeError(`The status ${status} is informational and cannot be a response: send 200 to 599.`)
  }
  if (!Array.isArray(headers)) {
    throw new TypeError('start_response takes the headers as an array of pairs: [[name, value], …].')
  }
  const fields: string[] = []
  let length = -1
  let ascii = isAscii
  for (const pair of headers) {
    if (!Array.isArray(pair)) {
      throw new TypeError(`The response header ${shown(pair)} is not a pair: write [name, value].`)
    }
    const [name, value] = pair
    if (!checkHeaderValue(name, value)) ascii = false
    const kind = headerKind(name)
    if (kind !== 'field') {
      if (kind === 'content-length') length = declaredLength(value, length)
      else refuse(name)
    }
    fields.push(name, value)
  }
  return { code, reason, fields, length, ascii }
}

/** Takes Content-Length out of a head, for a status that must not have one. */
export function withoutLength(head: Head): void {
  const { fields } = head
  for (let at = fields.length - 2; at >= 0; at -= 2) {
    if (headerKind(fields[at] ?? '') === 'content-length') fields.splice(at, 2)
  }
  head.length = -1
}

/** The head's fields as pairs. */
export function headerPairs(head: Head): HeaderPair[] {
  const pairs: HeaderPair[] = []
  for (let at = 0; at < head.fields.length; at += 2)
    pairs.push([head.fields[at] ?? '', head.fields[at + 1] ?? ''])
  return pairs
}

function declaredLength(value: string, before: number): number {
  const length = parseContentLength(value)
  if (length < 0) throw new TypeError(`Content-Length is ${shown(value)}: write a number of bytes.`)
  if (before >= 0) throw new TypeError('Content-Length stands twice among the headers: keep one.')
  return length
}

function refuse(name: string): never {
  throw new TypeError(
    typeof name === 'string' && headerKind(name) === 'hop-by-hop'
      ? `The response header ${name} concerns the connection, which is the server's: leave it out.`
      : `The response header name ${shown(name)} is not a token: use letters, digits and -, without blanks or colons.`,
  )
}
