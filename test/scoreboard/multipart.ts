/** Cases of parsers of multipart forms: bytes of a form, and its fields and files. */
import { send } from './client.ts'
import { type Case, judge, type SiteReferee } from './referee.ts'
import { onSite, type SentPart } from './site.ts'

/** A form and its outcome. The characters of the form are bytes: see {@link utf8}. The boundary is `foo` by default. */
export type Row = readonly [
  name: string,
  body: string,
  outcome: string | readonly string[],
  reason?: string | undefined,
  boundary?: string,
]

/** Outcome of a form that is not accepted. Frameworks have different statuses for it. */
export const REFUSED = 'refused'

/** Returns the bytes of a text, as characters. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** Returns a form of the boundary `foo`. A part is its header fields and its content. */
export function form(...parts: readonly (readonly [header: string, content: string])[]): string {
  return `${parts.map(([header, content]) => `--foo\r\n${header}\r\n\r\n${content}\r\n`).join('')}--foo--`
}

/** Returns the header of a field, or of a file. */
export function header(name: string, filename?: string, type?: string): string {
  const field = `Content-Disposition: form-data; name="${name}"`
  return [
    filename === undefined ? field : `${field}; filename="${filename}"`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
  ].join('\r\n')
}

/** Returns the fields, and then the files with their media types. Long contents are shortened. */
function outcomeOf(parts: readonly SentPart[]): string {
  const fields = parts.filter(({ filename }) => filename === undefined)
  const files = parts.filter(({ filename }) => filename !== undefined)
  const texts = [
    ...fields.map(({ name, content }) => `${name}=${shortened(content)}`),
    ...files.map(({ name, filename, type = '', content }) => {
      const bytes = Buffer.from(content, 'base64').toString('latin1')
      return `${name}=${shortened(bytes)} (${shortened(filename ?? '')}, ${type.replace(/ *;.*/, '')})`
    }),
  ]
  return texts.join(' & ') || 'nothing'
}

/** Returns a text of at most 40 characters, without control characters. */
export function shortened(text: string): string {
  const visible = JSON.stringify(text).slice(1, -1)
  return visible.length <= 40 ? visible : `${visible.slice(0, 10)}… of ${text.length}`
}

export function multipart(
  about: Pick<SiteReferee, 'name' | 'version' | 'source'>,
  rows: readonly Row[],
): SiteReferee {
  const cases = rows.map(
    ([name, body, outcome, reason, boundary = 'foo']): Case<{ body: string; boundary: string }> => ({
      name,
      input: { body, boundary },
      allowed: typeof outcome === 'string' ? [outcome] : outcome,
      reason,
    }),
  )
  return onSite({
    ...about,
    judges: '`request.parts()`',
    judge: (port) =>
      judge(cases, async ({ body, boundary }) => {
        const headers = { 'Content-Type': `multipart/form-data; boundary="${boundary}"` }
        const response = await send(port, {
          method: 'POST',
          path: '/upload',
          headers,
          body: Buffer.from(body, 'latin1'),
        })
        return response.status < 400 ? outcomeOf(JSON.parse(response.body.toString())) : REFUSED
      }),
  })
}
