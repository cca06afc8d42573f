/** Compares two responses to the same request. */
import { type Difference, differenceOf } from './difference.ts'
import { compareHtml } from './html-body.ts'
import { compareJson, parsedJson } from './json-body.ts'
import type { Rules } from './rules.ts'
import type { Answer } from './send.ts'

/** Header fields that are compared. */
const HEADERS = [
  'content-type',
  'location',
  'cache-control',
  'content-disposition',
  'content-language',
  'www-authenticate',
  'allow',
  'link',
  'refresh',
  'access-control-allow-origin',
] as const

/** Returns the differences of two responses: status, header fields that matter, cookies by their names, body. */
export function compareAnswers(old: Answer, fresh: Answer, rules: Rules): Difference[] {
  return [
    ...differenceOf('status', old.status, fresh.status),
    ...HEADERS.filter((name) => !rules.headers.has(name)).flatMap((name) =>
      differenceOf(`header ${name}`, fieldOf(old, name), fieldOf(fresh, name)),
    ),
    ...(rules.headers.has('set-cookie')
      ? []
      : differenceOf('header set-cookie', cookiesOf(old), cookiesOf(fresh))),
    ...compareBodies(old, fresh, rules),
  ]
}

/** Returns a field without what says the same in other words. */
function fieldOf({ headers, origin }: Answer, name: (typeof HEADERS)[number]): string | undefined {
  const value = headers[name]
  const text = Array.isArray(value) ? value.join(', ') : value
  if (text === undefined) return undefined
  const known = withoutOrigin(text, origin)
  // A path says the same as the URL of the server.
  if (name === 'location') return known.replace(/^\{origin\}(?=\/)/, '')
  const isList = name === 'cache-control' || name === 'allow'
  if (isList)
    return known
      .toLowerCase()
      .split(',')
      .map((part) => part.trim())
      .sort()
      .join(', ')
  const unquoted = known.replace(/\s*([;,])\s*/g, '$1').replaceAll('"', '')
  return name === 'content-type' ? unquoted.toLowerCase() : unquoted
}

/** Returns the names and attributes of cookies. Their values are secret, and new for each session. */
function cookiesOf({ headers }: Answer): string[] {
  return (headers['set-cookie'] ?? [])
    .map((cookie) => {
      const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim())
      const lower = attributes.map((attribute) => attribute.toLowerCase())
      const kept = lower.filter((attribute) => !/^(?:expires|max-age)=/.test(attribute))
      return [pair.split('=', 1)[0], ...(isDeleted(lower) ? ['deleted'] : []), ...kept.sort()].join('; ')
    })
    .sort()
}

/** Returns true if the attributes of a cookie, in lower case, say that the browser removes it. */
function isDeleted(attributes: readonly string[]): boolean {
  const [maxAge, expires] = ['max-age=', 'expires='].map((start) =>
    attributes.find((attribute) => attribute.startsWith(start))?.slice(start.length),
  )
  // Max-Age has precedence (RFC 6265 §5.3).
  return maxAge === undefined ? Date.parse(expires ?? '') < Date.now() : Number(maxAge) <= 0
}

/** Replaces the URL of a server, which may be percent-encoded, or have the slashes of JSON escaped. */
function withoutOrigin(text: string, origin: string): string {
  const [scheme, host] = origin
    .replace(/[.[\]]/g, '\\$&')
    .replaceAll(':', '(?::|%3a)')
    .split('//')
  const url = new RegExp(`(${scheme})?(?:\\\\?/|%2f){2}${host}(?![\\w-]|[.:]\\w)`, 'gi')
  return text.replace(url, (_url, prefix?: string) => (prefix === undefined ? '//{origin}' : '{origin}'))
}

function compareBodies(old: Answer, fresh: Answer, rules: Rules): Difference[] {
  if (old.body.equals(fresh.body)) return []
  const type = typeOf(old)
  if (type !== typeOf(fresh) || !/^text\/|[/+](?:json|xml|javascript|x-www-form-urlencoded)$/.test(type)) {
    return [{ where: 'body', old: `${old.body.length} bytes`, new: `${fresh.body.length} bytes` }]
  }
  const [oldText, newText] = [textOf(old, rules), textOf(fresh, rules)]
  if (oldText === newText) return []
  try {
    if (/[/+]json$|javascript$/.test(type)) {
      return compareJson(parsedJson(oldText), parsedJson(newText), rules)
    }
    if (type === 'text/html' || type === 'application/xhtml+xml') return compareHtml(oldText, newText, rules)
  } catch (error) {
    // It is not JSON, or nested too deep for a tree.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
  }
  return lineDifferences(oldText, newText)
}

function typeOf({ headers }: Answer): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function textOf(answer: Answer, rules: Rules): string {
  const text = withoutOrigin(decodedText(answer), answer.origin).replaceAll('\r\n', '\n')
  return rules.text.reduce((rest, rule) => rest.replace(rule, ''), text)
}

/** Decodes a body. A malformed one is read as Latin-1, so that bytes that differ are never the same text. */
function decodedText({ body, headers }: Answer): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([^\s;"]+)/i.exec(headers['content-type'] ?? '') ?? []
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body)
  } catch {
    return body.toString('latin1')
  }
}

/** Returns the lines that differ, only the first of them if their number differs too. */
function lineDifferences(old: string, fresh: string): Difference[] {
  const [oldLines, newLines] = [old.split('\n'), fresh.split('\n')]
  const count = differenceOf('body', `${oldLines.length} lines`, `${newLines.length} lines`)
  const lines = (count.length === 0 ? oldLines : [...oldLines, undefined]).flatMap((line, at) =>
    line === newLines[at] ? [] : differenceOf(`body line ${at + 1}`, line, newLines[at]),
  )
  return count.length === 0 ? lines : [...count, ...lines.slice(0, 1)]
}
