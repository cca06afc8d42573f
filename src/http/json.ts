/**
 * JSON that comes from outside.
 *
 * @module
 */

import { HTTPBadRequest } from './client-errors.ts'
import { isDeeperThan } from './json-depth.ts'
import { jsonErrorPosition } from './json-position.ts'
import { DEFAULT_LIMITS } from './limits.ts'

// `__proto__` as a key, each letter as itself or as a \u escape. What it finds is looked at more closely.
const SUSPICIOUS =
  /"(?:_|\\u005f){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006f)(?:t|\\u0074)(?:o|\\u006f)(?:_|\\u005f){2}"\s*:/i

/**
 * Reads JSON from a request. The key `__proto__` is refused: `JSON.parse` makes it a property like any other, but whoever
 * then copies the properties to another object changes that object's prototype.
 *
 * @param maxDepth - how deep arrays and objects may lie within each other. `JSON.parse` would read any depth, but whoever
 *   then walks through the value, be it `JSON.stringify`, would run out of stack.
 * @throws HTTPBadRequest when it is no JSON: the message names the place and repeats nothing of the text.
 */
export function parseJson(text: string, maxDepth: number = DEFAULT_LIMITS.depth): unknown {
  if (isDeeperThan(maxDepth, text)) {
    throw new HTTPBadRequest(`The JSON of the request is nested more than ${maxDepth} deep.`)
  }
  try {
    return JSON.parse(text, SUSPICIOUS.test(text) ? refuseProto : undefined)
  } catch (cause) {
    if (cause instanceof HTTPBadRequest) throw cause
    const place = `character ${jsonErrorPosition(text)} of ${text.length}`
    throw new HTTPBadRequest(`The body of the request is not valid JSON (${place}).`, undefined, { cause })
  }
}

function refuseProto(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new HTTPBadRequest('The JSON of the request has a key __proto__.')
  return value
}
