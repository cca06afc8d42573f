import type { Body } from './types.ts'

/**
 * Returns a body with the chunks of another and a callback that runs when the server closes it: once, when the response
 * is complete or its client has disconnected.
 */
export function onClose(body: Body, callback: () => void): Body {
  const close = () => {
    callback()
    return body.close?.()
  }
  // An array stays one, so that the server still sends it with its length.
  if (Array.isArray(body)) return Object.assign([...body], { close })
  if (typeof body !== 'object' || body === null) return body
  if (Symbol.asyncIterator in body)
    return { [Symbol.asyncIterator]: () => body[Symbol.asyncIterator](), close }
  if (Symbol.iterator in body) return { [Symbol.iterator]: () => body[Symbol.iterator](), close }
  // The server reports a value that is not a body.
  return body
}
