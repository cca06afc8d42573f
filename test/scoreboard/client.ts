/** The client of the referees that send requests. */
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'

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
      const fields = Object.entries(response.headersDistinct).map(([name, values]) => [
        name,
        values?.join(', '),
      ])
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
