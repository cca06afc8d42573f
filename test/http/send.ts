import { createEnviron, type EnvironInit, run, type WSGICallable } from 'propylon/wsgi'

/** The response that a client receives. */
export interface Sent {
  status: string
  headers: Record<string, string[]>
  text: string
}

/** Sends a request to an application and reads the response. */
export async function send(app: WSGICallable, request: EnvironInit = {}): Promise<Sent> {
  const result = await run(app, createEnviron(request))
  const headers: Record<string, string[]> = {}
  for (const [name, value] of result.headers) {
    const key = name.toLowerCase()
    headers[key] = [...(headers[key] ?? []), value]
  }
  return { status: result.status, headers, text: await result.text() }
}
