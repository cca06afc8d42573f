import { createEnviron, type EnvironInit } from '../../src/wsgi/environ.ts'
import { run } from '../../src/wsgi/run.ts'
import type { WSGICallable } from '../../src/wsgi/types.ts'

/** What a client would see of an answer. */
export interface Sent {
  status: string
  headers: Record<string, string[]>
  text: string
}

/** Sends an application's answer to a described request. */
export async function send(app: WSGICallable, request: EnvironInit = {}): Promise<Sent> {
  const result = await run(app, createEnviron(request))
  const headers: Record<string, string[]> = {}
  for (const [name, value] of result.headers) {
    const key = name.toLowerCase()
    headers[key] = [...(headers[key] ?? []), value]
  }
  return { status: result.status, headers, text: await result.text() }
}
