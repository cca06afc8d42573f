/** Forms, urlencoded and multipart, in whatever pieces they arrive; and `_method`. */
import assert from 'node:assert/strict'
import { deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { FrameworkApp, HTTPException, Mapper, Request, WSGIController } from 'propylon'
import { parseQuery, QueryParams } from 'propylon/http'
import { createEnviron } from 'propylon/wsgi'
import { bytes, edited, edits, piecesOf, place, soup, streamOf, text } from '../arbitraries.ts'
import { ask } from '../ask.ts'
import { property, type Subject } from '../property.ts'

const BOUNDARY = "a-b_c'(1)"
const MULTIPART = `multipart/form-data; boundary="${BOUNDARY}"`
const URLENCODED = 'application/x-www-form-urlencoded'

const name = text(8).filter((each) => each !== '')

/** A part: a field, or a file of bytes. */
const part = fc.record({
  name,
  filename: fc.option(name),
  /** Text of bytes; fields are UTF-8. */
  content: fc.oneof(bytes(30), fc.constantFrom('', `\r\n--${BOUNDARY}`.slice(0, -1), '\r\n', '--', 'x'.repeat(5000))),
})

type Part = { name: string; filename: string | null; content: string }

const parts = fc.array(part, { maxLength: 4 })
const places = fc.array(place, { maxLength: 8 })

function encoded(parts: readonly Part[]): Buffer {
  const quoted = (value: string) => value.replace(/[\r\n"]/g, encodeURIComponent)
  const chunks = parts.flatMap(({ name, filename, content }) => [
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${quoted(name)}"`),
    Buffer.from(filename === null ? '\r\n\r\n' : `; filename="${quoted(filename)}"\r\n\r\n`),
    Buffer.from(content, filename === null ? 'utf8' : 'latin1'),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...chunks, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

function requestOf(body: Uint8Array, places: readonly number[], type: string, coding?: string): Request {
  const environ = createEnviron({
    method: 'POST',
    headers: [
      ['Content-Type', type],
      ['Content-Length', String(body.length)],
      ...(coding === undefined ? [] : [['Content-Encoding', coding] as const]),
    ],
    body: streamOf(piecesOf(body, places)),
  })
  return new Request(environ)
}

type Entry = readonly [name: string, filename: string | null, content: string]

/** Reads a form at once: its fields, then its files. */
async function readAtOnce(request: Request): Promise<Entry[]> {
  const form = await request.form()
  const files = form.files.map(
    async (file): Promise<Entry> => [file.name, file.filename, Buffer.from(await file.bytes()).toString('latin1')],
  )
  return [...[...form].map(([name, value]): Entry => [name, null, value]), ...(await Promise.all(files))]
}

/** Reads a form part by part, with its files last. */
async function readInParts(request: Request): Promise<Entry[]> {
  const fields: Entry[] = []
  const files: Entry[] = []
  for await (const part of request.parts()) {
    if (part.filename === undefined) fields.push([part.name, null, await part.text()])
    else files.push([part.name, baseName(part.filename), Buffer.from(await part.bytes()).toString('latin1')])
  }
  return [...fields, ...files]
}

/** Returns the name that a file of `form()` has. A part has the name as the client sent it. */
function baseName(filename: string): string {
  const [last = ''] = filename.split(/[/\\]/).slice(-1)
  const name = last.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '').trim()
  return /^\.*$/.test(name) ? '' : name
}

/** Returns the entries, or the status of the refusal. */
async function outcome(read: Promise<Entry[]>): Promise<Entry[] | number> {
  try {
    return await read
  } catch (error) {
    if (error instanceof HTTPException) return error.status
    throw error
  }
}

function entriesOf(parts: readonly Part[]): Entry[] {
  const entry = ({ name, filename, content }: Part): Entry => [
    name,
    filename === null ? null : baseName(filename),
    content,
  ]
  return [
    ...parts.filter(({ filename }) => filename === null).map(entry),
    ...parts.filter(({ filename, content }) => filename !== null && (filename !== '' || content !== '')).map(entry),
  ]
}

/** Returns parts whose text survives a form: a BOM at the beginning of a text is a mark of its encoding. */
function plain(parts: readonly Part[]): Part[] {
  return parts.map(({ name, filename, content }) => {
    // A backslash before a quote or another backslash is an escape in a quoted string.
    const safe = (value: string) => value.replaceAll('\\', '/').replaceAll('\0', ' ').replaceAll('%', '_')
    return { name: safe(name), filename: filename === null ? null : safe(filename), content }
  })
}

class FormsController extends WSGIController {
  async create() {
    return this.#facts('create')
  }
  async update() {
    return this.#facts('update')
  }
  async delete() {
    return this.#facts('delete')
  }
  async #facts(action: string) {
    const bytes = Buffer.from(await this.request.bytes())
    return { action, body: bytes.toString('latin1'), original: this.request.originalMethod }
  }
}

const app = new FrameworkApp({
  map: new Mapper()
    .connect('/f', { controller: 'forms', action: 'create', conditions: { method: 'POST' } })
    .connect('/f', { controller: 'forms', action: 'update', conditions: { method: ['PUT', 'PATCH'] } })
    .connect('/f', { controller: 'forms', action: 'delete', conditions: { method: 'DELETE' } }),
  controllers: { forms: FormsController },
})

const ACTIONS: Readonly<Record<string, string>> = { PUT: 'update', PATCH: 'update', DELETE: 'delete' }

const field = fc.tuple(
  fc.constantFrom('_method', 'a', '_METHOD', '_method ', 'b'),
  fc.constantFrom('PUT', 'put', 'DELETE', 'Patch', 'GET', 'POST', 'CONNECT', ' PUT', '', 'x'),
)

export const forms: Subject = {
  name: 'forms',
  properties: [
    property(
      'a query is read as URLSearchParams reads it',
      fc.oneof(
        bytes(30),
        soup(['a', '=', '&', '+', '%', '%41', '%2', '%zz', '%C3%A9', '%ff', 'é', ';', '%00', '%EF%BB%BF'], 14),
      ),
      (query) => {
        // Node takes characters beyond ASCII for bytes if an escape is malformed.
        const ascii = query.replace(/[^\0-\x7f]+/g, encodeURIComponent)
        assert.deepEqual([...parseQuery(query)], [...new URLSearchParams(`?${ascii}`)])
      },
    ),
    property('fields are read as they were written', fc.array(fc.tuple(name, text()), { maxLength: 5 }), (fields) => {
      assert.deepEqual([...parseQuery(new QueryParams(fields).toString())], fields)
    }),
    property(
      'a multipart form is read as it was written, at once and in parts',
      fc.record({ parts, places, coding: fc.constantFrom(null, 'gzip', 'deflate') }),
      async ({ parts, places, coding }) => {
        const sent = plain(parts)
        const form = encoded(sent)
        const body = coding === null ? form : coding === 'gzip' ? gzipSync(form) : deflateSync(form)
        const request = () => requestOf(body, places, MULTIPART, coding ?? undefined)
        const expected = entriesOf(sent).map(([name, filename, content]) => [
          name,
          filename,
          filename === null ? content.replace(/^\ufeff/, '') : content,
        ])
        assert.deepEqual(await readAtOnce(request()), expected)
        assert.deepEqual(await readInParts(request()), expected)
      },
    ),
    property(
      'a spoilt form is refused or read, and both ways of reading agree whatever its pieces',
      fc.record({
        parts,
        changes: edits(
          fc.oneof(
            bytes(3),
            fc.constantFrom(
              '\r\n',
              '\r',
              '\n',
              '--',
              `--${BOUNDARY}`,
              '"',
              ';',
              "filename*=UTF-8''%41",
              'Content-Type: text/plain; charset=x\r\n',
              'name=',
            ),
          ),
        ),
        places,
        others: places,
      }),
      async ({ parts, changes, places, others }) => {
        const form = Buffer.from(edited(encoded(parts).toString('latin1'), changes), 'latin1')
        const whole = await outcome(readAtOnce(requestOf(form, [], MULTIPART)))
        assert.deepEqual(await outcome(readAtOnce(requestOf(form, places, MULTIPART))), whole)
        const one = await outcome(readInParts(requestOf(form, places, MULTIPART)))
        const other = await outcome(readInParts(requestOf(form, others, MULTIPART)))
        assert.deepEqual(one, other)
        assert.deepEqual(one, whole)
        if (typeof whole === 'number') assert.ok(whole >= 400 && whole < 500)
      },
    ),
    property(
      'compressed bytes are decompressed, and spoilt ones are refused',
      fc.record({ content: bytes(200), changes: fc.option(edits(bytes(3))), places, isGzip: fc.boolean() }),
      async ({ content, changes, places, isGzip }) => {
        const bytes = Buffer.from(content, 'latin1')
        const packed = (isGzip ? gzipSync(bytes) : deflateSync(bytes)).toString('latin1')
        const sent = Buffer.from(changes === null ? packed : edited(packed, changes), 'latin1')
        let read: Buffer
        try {
          read = Buffer.from(await requestOf(sent, places, 'text/plain', isGzip ? 'gzip' : 'deflate').bytes())
        } catch (error) {
          assert.ok(changes !== null && error instanceof HTTPException && error.status === 400, String(error))
          return
        }
        // A gzip header has a time and a name, which may change; the checksum covers all of the content.
        if (sent.length > 0) assert.ok(read.equals(bytes))
        else assert.equal(read.length, 0)
      },
    ),
    property(
      '_method of a POSTed form alone replaces the method, and the body stays as it is',
      fc.record({
        fields: fc.array(field, { maxLength: 4 }),
        type: fc.constantFrom(
          URLENCODED,
          `${URLENCODED}; charset=utf-8`,
          MULTIPART,
          'text/plain',
          'application/json',
          '',
        ),
        isMultipart: fc.boolean(),
        method: fc.constantFrom('POST', 'PUT', 'DELETE'),
        places,
      }),
      async ({ fields, type, isMultipart, method, places }) => {
        const body = isMultipart
          ? encoded(fields.map(([name, content]) => ({ name, filename: null, content })))
          : Buffer.from(new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString())
        const isForm = isMultipart ? type === MULTIPART : type.startsWith(URLENCODED)
        // A form in the syntax of the other type is malformed, or has no such field.
        if (!isForm && (type === MULTIPART || type.startsWith(URLENCODED))) return
        const answer = await ask(app, {
          method,
          path: '/f',
          headers: type === '' ? [] : [['Content-Type', type]],
          body: piecesOf(body, places),
        })
        const [, requested = ''] = fields.find(([name]) => name === '_method') ?? []
        const override = isForm && method === 'POST' ? ACTIONS[requested.toUpperCase()] : undefined
        const own = method === 'POST' ? 'create' : ACTIONS[method]
        assert.equal(answer.status, 200)
        assert.deepEqual(JSON.parse(answer.text), {
          action: override ?? own,
          body: body.toString('latin1'),
          original: method,
        })
      },
    ),
  ],
}
