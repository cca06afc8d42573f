/** Compares two responses to the same request. */
import { isRecord } from '../../base/record.ts'
import { type Difference, differenceOf } from './difference.ts'
import { compareHtml } from './html-body.ts'
import { compareJson } from './json-body.ts'
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
  return name === 'content-type'
    ? known
        .toLowerCase()
        .replace(/\s*;\s*/g, ';')
        .replaceAll('"', '')
    : known
}

/** Returns the names and attributes of cookies. Their values are secret, and new for each session. */
function cookiesOf({ headers }: Answer): string[] {
  return (headers['set-cookie'] ?? [])
    .map((cookie) => {
      const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim())
      const kept = attributes
        .map((attribute) => attribute.toLowerCase())
        .filter((attribute) => !/^(?:expires|max-age)=/.test(attribute))
      return [pair.split('=', 1)[0], ...kept.sort()].join('; ')
    })
    .sort()
}

function withoutOrigin(text: string, origin: string): string {
  return text.replaceAll(origin, '{origin}').replaceAll(origin.replace(/^https?:/, ''), '//{origin}')
}

function compareBodies(old: Answer, fresh: Answer, rules: Rules): Difference[] {
  if (old.body.equals(fresh.body)) return []
  const type = typeOf(old)
  if (type !== typeOf(fresh) || !/^text\/|[/+](?:json|xml|javascript|x-www-form-urlencoded)$/.test(type)) {
    return [{ where: 'body', old: `${old.body.length} bytes`, new: `${fresh.body.length} bytes` }]
  }
  const [oldText, newText] = [textOf(old, rules), textOf(fresh, rules)]
  if (oldText === newText) return []
  const values = [parsed(oldText), parsed(newText)]
  if (
    /[/+]json$|javascript$/.test(type) &&
    values.every((value) => isRecord(value) || Array.isArray(value))
  ) {
    return compareJson(values[0], values[1], rules)
  }
  if (type === 'text/html' || type === 'application/xhtml+xml') return compareHtml(oldText, newText, rules)
  return lineDifference(oldText, newText)
}

function typeOf({ headers }: Answer): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function textOf({ body, origin }: Answer, rules: Rules): string {
  const text = withoutOrigin(body.toString(), origin).replaceAll('\r\n', '\n')
  return rules.text.reduce((rest, rule) => rest.replace(rule, ''), text)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the first line that differs. */
function lineDifference(old: string, fresh: string): Difference[] {
  const [oldLines, newLines] = [old.split('\n'), fresh.split('\n')]
  const index = oldLines.findIndex((line, at) => line !== newLines[at])
  const at = index === -1 ? oldLines.length : index
  return differenceOf(`body line ${at + 1}`, oldLines[at], newLines[at])
}
