/** Calls of an application behind lint(), as data. */
import {
  type Chunk,
  createEnviron,
  LintError,
  lint,
  type StartResponse,
  type WSGIApplication,
} from 'propylon/wsgi'
import type { Case } from './referee.ts'

/** A row: a description, the call, and an explanation if lint() differs from the referee. */
export type Row = readonly [name: string, call: () => unknown, reason?: string]

/** Returns the cases of rows that have one outcome. */
export function casesOf(outcome: 'refused' | 'accepted', rows: readonly Row[]): Case<() => unknown>[] {
  return rows.map(([name, input, reason]) => ({
    name,
    input,
    allowed: [outcome],
    reason,
  }))
}

/** Returns whether lint() refuses a call. Throws all errors but those of lint(). */
export async function outcomeOf(call: () => unknown): Promise<string> {
  try {
    await call()
    return 'accepted'
  } catch (error) {
    if (error instanceof LintError) return 'refused'
    throw error
  }
}

const start: StartResponse = () => () => undefined
const PLAIN = [['Content-Type', 'text/plain']]

/** An application that breaks no rule. */
export const valid: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return ['x']
}

/** Calls an application and reads its body to the end. */
export async function called(app: WSGIApplication, environ = createEnviron()): Promise<void> {
  const body = await lint(app)(environ, start)
  for await (const _chunk of body);
  await body.close?.()
}

/** Calls the valid application with other arguments. */
export const withArguments =
  (...args: unknown[]) =>
  () =>
    Reflect.apply(lint(valid), undefined, args)

export const withEnviron = (...others: unknown[]) => withArguments(createEnviron(), start, ...others)
export const withoutStart = withArguments(createEnviron())
export const insteadOfEnviron = (environ: unknown) => withArguments(environ, start)

/** Calls the valid application with variables set, or removed if the value is undefined. */
export const withVariables = (variables: Readonly<Record<string | symbol, unknown>>) => () => {
  const environ = createEnviron()
  for (const key of Reflect.ownKeys(variables)) {
    if (variables[key] === undefined) Reflect.deleteProperty(environ, key)
    else Reflect.set(environ, key, variables[key])
  }
  return called(valid, environ)
}

/** Calls an application that calls start_response with arguments. */
export const starting =
  (...args: unknown[]) =>
  () =>
    called((_environ, start_response) => {
      Reflect.apply(start_response, undefined, args)
      return []
    })

export const withStatus = (status: unknown) => starting(status, PLAIN)
export const withHeaders = (headers: unknown, status = '200 OK') => starting(status, headers)

/** Calls an application that returns a value as its body. */
export const returning =
  (body: unknown, headers: unknown = PLAIN) =>
  () =>
    called((_environ, start_response) => {
      Reflect.apply(start_response, undefined, ['200 OK', headers])
      return JSON.parse('{}', () => body)
    })

/** Calls an application that uses the environ before it responds. */
export const using = (use: (environ: ReturnType<typeof createEnviron>) => unknown) => () =>
  called(async (environ, start_response) => {
    await use(environ)
    return valid(environ, start_response)
  })

/** A body of one chunk that can be read once. */
function* once(): Generator<Chunk> {
  yield 'x'
}

/** Reads a body of one chunk after a call of its method `close`. */
export const readingAfterClose = () => {
  const body = lintedOnce()
  Reflect.apply(Reflect.get(body, 'close'), body, [])
  body[Symbol.iterator]().next()
}

/** Iterates a body of one chunk twice. */
export const readingTwice = () => {
  const body = lintedOnce()
  for (const _chunk of body);
  for (const _chunk of body);
}

function lintedOnce(): Iterable<Chunk> {
  const body = lint((_environ, start_response) => {
    start_response('200 OK', [['Content-Type', 'text/plain']])
    return once()
  })(createEnviron(), start)
  if (!(Symbol.iterator in body)) throw new TypeError('lint() has changed the kind of the body')
  return body
}
