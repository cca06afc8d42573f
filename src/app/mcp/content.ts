/** Content blocks of the Model Context Protocol (server features, "Tool Result"). */
import { encodeBase64 } from '../../base/base64.ts'
import { isRecord } from '../../base/record.ts'
import { isJson, type MediaType, parseMediaType } from '../../http/media-type.ts'

/** A block of content. */
export type ContentBlock = Readonly<Record<string, unknown>> & { readonly type: string }

/** The members that a block of each type must have, all of them text. */
const TEXTS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['resource_link', ['uri', 'name']],
])

/** Returns the blocks of `{ content: [ … ] }`. Undefined for a value with other members, or with members that are not blocks. */
export function contentBlocks(value: unknown): readonly ContentBlock[] | undefined {
  if (!isRecord(value) || Object.keys(value).length !== 1 || !Array.isArray(value.content)) return undefined
  const content: readonly unknown[] = value.content
  return content.length > 0 && content.every(isBlock) ? content : undefined
}

function isBlock(value: unknown): value is ContentBlock {
  if (!isRecord(value)) return false
  const hasText = (record: Readonly<Record<string, unknown>>, name: string) =>
    typeof record[name] === 'string'
  const { type, resource } = value
  if (type === 'resource') {
    return (
      isRecord(resource) &&
      hasText(resource, 'uri') &&
      (hasText(resource, 'text') || hasText(resource, 'blob'))
    )
  }
  return TEXTS.get(type)?.every((name) => hasText(value, name)) === true
}

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text }
}

/** The body of a response and its type. */
export interface TypedBody {
  readonly bytes: Uint8Array
  readonly contentType: string
}

/** Returns the block for a body: an image, audio, text, or an embedded resource with the URI of the request. */
export function blockOf(body: TypedBody, uri: string): ContentBlock {
  const mimeType = parseMediaType(body.contentType)?.essence ?? 'application/octet-stream'
  const [kind] = mimeType.split('/')
  if (kind === 'image' || kind === 'audio') return { type: kind, data: encodeBase64(body.bytes), mimeType }
  const text = textOf(body)
  return text === undefined ? { type: 'resource', resource: resourceContents(body, uri) } : textBlock(text)
}

/** Returns a body as the contents of a resource: text, or bytes in base64. */
export function resourceContents(body: TypedBody, uri: string): object {
  const mimeType = parseMediaType(body.contentType)?.essence ?? 'application/octet-stream'
  const text = textOf(body)
  return text === undefined ? { uri, mimeType, blob: encodeBase64(body.bytes) } : { uri, mimeType, text }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Returns the text of a body: of `text/*`, JSON and XML. Undefined for other types, and for bytes that are not text in their charset. */
export function textOf({ bytes, contentType }: TypedBody): string | undefined {
  const type = parseMediaType(contentType)
  if (type === undefined || !isText(type)) return undefined
  try {
    const { charset } = type.parameters
    return (charset === undefined ? utf8 : new TextDecoder(charset, { fatal: true })).decode(bytes)
  } catch {
    // An unknown charset, or bytes that are not of it.
    return undefined
  }
}

/** Returns the value of JSON text. Undefined if it is not JSON. */
export function jsonIn(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Returns true for a type of text. SVG is an image, and text as a resource. */
function isText(type: MediaType): boolean {
  const { essence } = type
  return (
    essence.startsWith('text/') || isJson(type) || essence === 'application/xml' || essence.endsWith('+xml')
  )
}
