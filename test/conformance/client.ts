/** Servers for the time of a test, their files, and a client that sends paths as they are. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before } from 'node:test'
import { serve } from 'propylon/node'
import type { ErrorStream } from 'propylon/wsgi'

export interface Sent {
  /** Default GET. */
  readonly method?: string
  /** Sent as it is, with dots and all. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface Received {
  readonly status: number
  /** Fields by name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly cookies: readonly string[]
  readonly body: Buffer
}

/** Sends a request on a connection of its own. */
export function send(port: number, { method = 'GET', path, headers = {}, body }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const call = request({ port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      const fields = Object.entries(response.headersDistinct).map(([name, values]) => [name, values?.join(', ')])
      buffer(response).then(
        (content) =>
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(fields),
            cookies: response.headers['set-cookie'] ?? [],
            body: content,
          }),
        reject,
      )
    })
    call.on('error', reject)
    call.end(body)
  })
}

const silent: ErrorStream = { write() {}, flush() {} }

/** Serves an application while the tests of a suite run. Returns a function that returns the port. */
export function servedFor(appOf: () => Parameters<typeof serve>[0]): () => number {
  let server: Awaited<ReturnType<typeof serve>> | undefined
  before(async () => {
    server = await serve(appOf(), { errors: silent })
  })
  after(() => server?.close())
  return () => server?.port ?? 0
}

/** Creates a folder with files while the tests of a suite run. Returns a function that returns its path. */
export function folderWith(contents: Readonly<Record<string, string>>): () => string {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'propylon-conformance-'))
    for (const [name, content] of Object.entries(contents)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), content)
    }
  })
  after(() => rm(folder, { recursive: true }))
  return () => folder
}
