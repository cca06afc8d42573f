/** Requests to an application without a socket. Errors that are no HTTP exceptions are thrown, and so are those of the validator. */
import { createEnviron, type HeaderPair, lint, run, type WSGIApplication } from 'propylon/wsgi'
import { streamOf } from './arbitraries.ts'

/** A request. */
export interface Question {
  readonly method?: string
  readonly path?: string
  readonly headers?: readonly HeaderPair[]
  /** The body, in the pieces in which it arrives. */
  readonly body?: readonly Uint8Array[]
  /** Further keys of the environ. */
  readonly extra?: Record<string, unknown>
}

/** A response. */
export interface Answer {
  readonly status: number
  readonly headers: readonly HeaderPair[]
  readonly bytes: Uint8Array
  readonly text: string
  header(name: string): string | undefined
}

/** Sends a request. The body has a Content-Length. */
export async function ask(app: { wsgi: WSGIApplication } | WSGIApplication, question: Question = {}): Promise<Answer> {
  const { method = 'GET', path = '/', headers = [], body, extra = {} } = question
  const length = body?.reduce((sum, piece) => sum + piece.length, 0)
  const environ = createEnviron({
    method,
    url: path,
    headers: length === undefined ? headers : [...headers, ['Content-Length', String(length)]],
    ...(body === undefined ? {} : { body: streamOf(body) }),
    extra,
  })
  const result = await run(lint(typeof app === 'function' ? app : app.wsgi), environ)
  const bytes = await result.bytes()
  return {
    status: Number(result.status.slice(0, 3)),
    headers: result.headers,
    bytes,
    text: Buffer.from(bytes).toString(),
    header: (name) => result.headers.find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1],
  }
}
