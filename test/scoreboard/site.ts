/**
 * The application that the referees of whole servers judge. `peers/` has the same one for other frameworks:
 *
 * - `/files/…` has the files of {@link FILES}
 * - `POST /upload` returns the parts of a form
 * - `/negotiated?of=KIND&offer=…` returns the chosen offer, or `none`
 * - `/cors/POLICY` has a policy of Cross-Origin Resource Sharing and `Vary: Foo`
 * - `/compressed?length=…` returns a text that may be compressed
 * - `/outside.txt` is 404
 * - everything else returns the body of the request
 */
import { join } from 'node:path'
import { FrameworkApp, HTTPNotFound, Mapper, Response, WSGIController } from 'propylon'
import { staticFiles } from 'propylon/files'
import { accepts, acceptsEncoding, acceptsLanguage } from 'propylon/http'
import { compress, cors } from 'propylon/middleware'
import { serve } from 'propylon/node'
import type { ErrorStream, WSGIApplication } from 'propylon/wsgi'
import { withFiles } from './folder.ts'
import type { SiteReferee } from './referee.ts'

/** Files of the site. */
export const FILES = {
  'public/files/name.txt': 'tobi',
  'public/files/empty.txt': '',
  'public/files/some thing.txt': 'hey',
  'public/files/do..ts.txt': '...',
  'public/files/nums.txt': '123456789',
  'public/files/tobi.html': '<p>tobi</p>',
  'public/files/no_ext': 'foobar',
  'public/files/.hidden.txt': 'secret',
  'public/files/.mine/name.txt': 'tobi',
  'public/files/pets/index.html': 'tobi,loki,jane',
  'public/files/pets/.hidden': 'secret',
  'public/files/200.txt': 'x'.repeat(200),
  'public/files/1000.txt': 'x'.repeat(1000),
  'outside.txt': 'secret',
}

/** A part of a form, as `/upload` returns it: a file has its content in base64. */
export interface SentPart {
  readonly name: string
  readonly filename?: string | undefined
  readonly type?: string | undefined
  readonly content: string
}

const CHOOSE = { type: accepts, language: acceptsLanguage, encoding: acceptsEncoding }
const FIELDS = { type: 'Accept', language: 'Accept-Language', encoding: 'Accept-Encoding' } as const

class FormsController extends WSGIController {
  async upload() {
    const parts: SentPart[] = []
    for await (const part of this.request.parts()) {
      const { name, filename, contentType: type } = part
      const content =
        filename === undefined ? await part.text() : Buffer.from(await part.bytes()).toString('base64')
      parts.push(filename === undefined ? { name, content } : { name, filename, type, content })
    }
    return parts
  }
}

class NegotiatedController extends WSGIController {
  index() {
    const of = this.request.query.get('of') ?? ''
    if (of !== 'type' && of !== 'language' && of !== 'encoding') throw new Error(`of is ${of}`)
    const field = this.request.headers.get(FIELDS[of])
    return CHOOSE[of](field ?? undefined, this.request.query.getAll('offer')) ?? 'none'
  }
}

/** Returns the body of the request. */
const echo: WSGIApplication = async (environ, start_response) => {
  const body = await environ['wsgi.input'].read()
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return [body]
}

const varying: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [
    ['Content-Type', 'text/plain'],
    ['Vary', 'Foo'],
  ])
  return ['hello']
}

/** A text of the length, type and further fields that the query names. */
const text: WSGIApplication = (environ, start_response) => {
  const query = new URLSearchParams(environ.QUERY_STRING)
  const headers: Record<string, string> = { 'Content-Type': query.get('type') ?? 'text/plain' }
  for (const name of ['Cache-Control', 'Content-Encoding', 'ETag']) {
    const value = query.get(name)
    if (value !== null) headers[name] = value
  }
  const body = '.'.repeat(Number(query.get('length')))
  const chunks = [body.slice(0, 7), body.slice(7)]
  return new Response(query.has('stream') ? chunks.values() : body, { headers }).wsgi(environ, start_response)
}

const ORIGIN = 'http://example.com'
const POLICIES = {
  any: cors({ origins: '*' }),
  listed: cors({
    origins: [ORIGIN],
    methods: ['FOO', 'BAR'],
    headers: ['FIZZ', 'buzz'],
    expose: ['custom-header1', 'custom-header2'],
    credentials: true,
    maxAge: 123,
  }),
  pattern: cors({ origins: (origin) => /:\/\/(?:.+\.)?example\.com$/.test(origin), maxAge: 0 }),
}

function siteOf(folder: string): FrameworkApp {
  return new FrameworkApp({
    map: new Mapper()
      .connect('/files/{path_info:.*}', { controller: 'files' })
      .connect('/upload', { controller: 'forms', action: 'upload' })
      .connect('/negotiated', { controller: 'negotiated', action: 'index' })
      .connect('/cors/any', { controller: 'any' })
      .connect('/cors/listed', { controller: 'listed' })
      .connect('/cors/pattern', { controller: 'pattern' })
      .connect('/compressed', { controller: 'compressed' })
      .connect('/outside.txt', { controller: 'outside' })
      .connect('/{path_info:.*}', { controller: 'echo' }),
    controllers: {
      files: staticFiles(join(folder, 'public', 'files')),
      forms: FormsController,
      negotiated: NegotiatedController,
      any: POLICIES.any(varying),
      listed: POLICIES.listed(varying),
      pattern: POLICIES.pattern(varying),
      compressed: compress()(text),
      outside: new HTTPNotFound().wsgi,
      echo,
    },
  })
}

const silent: ErrorStream = { write() {}, flush() {} }

/** Calls a function with the port of the site. */
export function withSite<Result>(use: (port: number) => Promise<Result>): Promise<Result> {
  return withFiles(FILES, async (folder) => {
    const server = await serve(siteOf(folder), { errors: silent })
    try {
      return await use(server.port)
    } finally {
      await server.close()
    }
  })
}

/** Returns a referee that judges the site. */
export function onSite(referee: Omit<SiteReferee, 'run'>): SiteReferee {
  return { ...referee, run: () => withSite((port) => referee.judge(port)) }
}
