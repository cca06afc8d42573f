/** What the applications of the other frameworks have in common. `../site.ts` describes the application. */
import { join } from 'node:path'

const [, , folder = '.'] = process.argv

/** The folder of `/`. It has only `/files/`. */
export const root = join(folder, 'public')

/** The folder of `/files/`. */
export const files = join(root, 'files')

const ORIGIN = 'http://example.com'

/** Policies of Cross-Origin Resource Sharing. The middleware of each framework has its own names for these. */
export const policies = {
  any: { origins: undefined },
  listed: {
    origins: [ORIGIN],
    methods: ['FOO', 'BAR'],
    headers: ['FIZZ', 'buzz'],
    expose: ['custom-header1', 'custom-header2'],
    credentials: true,
    maxAge: 123,
  },
  pattern: { origins: /:\/\/(?:.+\.)?example\.com$/, maxAge: 0 },
}

/** Returns an object without the values that are undefined. */
export function defined(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** Returns the options of the package cors for a policy. @fastify/cors has the same names. */
export function corsOptions({ origins, methods, headers, expose, credentials, maxAge }) {
  return defined({
    origin: origins,
    methods,
    allowedHeaders: headers,
    exposedHeaders: expose,
    credentials,
    maxAge,
  })
}

/** Returns the query of a URL without an origin. */
export function queryOf(url) {
  return new URL(url, 'http://localhost').searchParams
}

/** Returns the response of `/compressed`: fields, and the body in chunks if it is a stream. */
export function textOf(query) {
  const headers = { 'Content-Type': query.get('type') ?? 'text/plain' }
  for (const name of ['Cache-Control', 'Content-Encoding', 'ETag']) {
    if (query.has(name)) headers[name] = query.get(name)
  }
  const body = '.'.repeat(Number(query.get('length')))
  return { headers, body, chunks: query.has('stream') ? [body.slice(0, 7), body.slice(7)] : undefined }
}

/** Returns the parts of a form for `/upload`: fields from an object, and files with their bytes. */
export function partsOf(fields, uploaded) {
  return [
    ...Object.entries(fields ?? {}).map(([name, content]) => ({ name, content })),
    ...uploaded.map(({ name, filename, type, bytes }) => ({
      name,
      filename,
      type,
      content: Buffer.from(bytes).toString('base64'),
    })),
  ]
}

/** Prints the port for the scoreboard, and ends with its end. */
export function ready(port) {
  console.log(`ready ${port}`)
  process.stdin.on('end', () => process.exit(0)).resume()
}
