/**
 * Parses the JSON of requests.
 *
 * @module
 */

import { worded } from './error-texts.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import { isJson, parseMediaType } from './media-type.ts'
import { HTTPBadRequest, HTTPUnsupportedMediaType } from './status-exceptions.ts'

/** Options of `Request.json()`. */
export interface JsonOptions {
  /** Maximum length of the body in bytes, in place of `RequestLimits.body`. */
  readonly limit?: number
  /** Whether to parse a body of any content type, or of none. False when absent. */
  readonly anyType?: boolean
}

/** Maximum length of a content type that an error message repeats, in characters. */
const MAX_QUOTED_LENGTH = 100

// The key `__proto__`, each letter literal or as a \u escape. The reviver then checks the actual keys.
const SUSPICIOUS =
  /"(?:_|\\u005f){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006f)(?:t|\\u0074)(?:o|\\u006f)(?:_|\\u005f){2}"\s*:/i

// The end of V8's message. Its other messages quote the text and have no position.
const POSITION = / in JSON( at position \d+)(?: \(line \d+ column \d+\))?$/

/**
 * Parses JSON from a request.
 *
 * Refuses the key `__proto__`: `JSON.parse` creates an ordinary property, but code that copies the properties to
 * another object would replace that object's prototype.
 *
 * @param maxDepth - maximum nesting of arrays and objects. `JSON.parse` has no limit, but code that walks the value
 *   recursively, such as `JSON.stringify`, would overflow the stack.
 * @throws HTTPBadRequest - the text is not JSON, is nested too deep, or has a key `__proto__`. The message contains the
 *   position if the runtime reports one, and no part of the text, which may be secret.
 */
export function parseJson(text: string, maxDepth: number = DEFAULT_LIMITS.depth): unknown {
  if (isDeeperThan(maxDepth, text)) {
    throw worded(HTTPBadRequest, 'propylon.json.depth', { limit: maxDepth })
  }
  try {
    return JSON.parse(text, SUSPICIOUS.test(text) ? refuseProto : undefined)
  } catch (cause) {
    if (cause instanceof HTTPBadRequest) throw cause
    const message = cause instanceof Error ? cause.message : ''
    const place = POSITION.exec(message)?.[1] ?? ''
    throw worded(HTTPBadRequest, 'propylon.json.malformed', { place }, { cause })
  }
}

/** @throws HTTPUnsupportedMediaType - the content type of a request is not JSON, or it has none. */
export function requireJsonType(contentType: string | undefined): void {
  const type = parseMediaType(contentType ?? '')
  if (type !== undefined && isJson(type)) return
  const sent = contentType === undefined ? 'none' : JSON.stringify(contentType.slice(0, MAX_QUOTED_LENGTH))
  // RFC 9110 §15.5.16: the types that are accepted.
  const headers = { Accept: 'application/json' }
  throw worded(HTTPUnsupportedMediaType, 'propylon.json.type', { type: sent }, { headers })
}

function refuseProto(key: string, value: unknown): unknown {
  if (key === '__proto__') throw worded(HTTPBadRequest, 'propylon.json.proto')
  return value
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Returns true if arrays and objects in a JSON text are nested deeper than `limit`. */
export function isDeeperThan(limit: number, text: string): boolean {
  if (text.length <= limit) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    // Setting bit 0x20 maps [ to { and ] to }.
    else if ((code | 0x20) === 0x7b) {
      depth += 1
      if (depth > limit) return true
    } else if ((code | 0x20) === 0x7d) depth -= 1
  }
  return false
}

/** Returns the index of the closing quote of the string that begins at `start`, or the text's length. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  }
  return at
}
