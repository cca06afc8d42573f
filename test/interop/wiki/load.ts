/** Sends many requests at once, and counts those that fail. */
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'

/** One request. */
export interface Task {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The server that receives the requests. */
export interface Target {
  /** `http:`, `https:` or `unix:`. */
  readonly url: string
  /** Certificate of the server. */
  readonly ca?: string
}

export interface LoadOptions extends Target {
  /** Returns the request of a number, or undefined if there are no more. */
  readonly next: (number: number) => Task | undefined
  /** Requests at the same time. */
  readonly parallel: number
  /** Whether each request opens a connection of its own. */
  readonly isFresh: boolean
  /** Called after each response. */
  readonly answered?: (status: number, task: Task) => void
}

export interface LoadResult {
  /** Number of responses by status. */
  readonly statuses: ReadonlyMap<number, number>
  /**
   * Requests without a complete response, except for those that were refused, and for those on kept connections that this
   * process left idle for too long because it was suspended.
   */
  readonly failures: readonly string[]
  /** Connections that the system refused, because nothing listens. Nothing was sent on them. */
  readonly refused: number
}

const REFUSED = ['ECONNREFUSED', 'ENOENT']

/** Half of the time for which a server that shuts down keeps idle connections, in milliseconds. */
const LONG_SILENCE = 500

/** Sends requests until there are no more, or until nothing listens. */
export async function sendLoad(options: LoadOptions): Promise<LoadResult> {
  const statuses = new Map<number, number>()
  const failures: string[] = []
  let refused = 0
  let number = 0
  let answered = performance.now()
  /** Whether there was no answer at all for so long that the server may have closed kept connections. */
  let wasSuspended = false
  const { request, Agent } = options.url.startsWith('https:') ? https : http
  const agent = new Agent({ keepAlive: !options.isFresh, maxSockets: options.parallel })
  const place = placeOf(options)

  async function send(task: Task): Promise<number> {
    const req = request({
      ...place,
      agent,
      method: task.method ?? 'GET',
      ...pathAndHeaders(task, place.prefix),
    })
    // Each failure rejects the wait for the response, or for its end.
    req.end(task.body)
    const [response] = await once(req, 'response')
    for await (const _ of response) {
      // Read to the end.
    }
    if (!response.complete) throw new Error('the response is cut')
    return response.statusCode
  }

  function heard(): void {
    wasSuspended ||= performance.now() - answered >= LONG_SILENCE
    answered = performance.now()
  }

  async function work(): Promise<void> {
    for (let task = options.next(number++); task !== undefined; task = options.next(number++)) {
      try {
        const status = await send(task)
        heard()
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        options.answered?.(status, task)
      } catch (error) {
        heard()
        const { code, message } = error as NodeJS.ErrnoException
        if (code !== undefined && REFUSED.includes(code)) {
          refused += 1
          return
        }
        if (options.isFresh || !wasSuspended) failures.push(`${task.method ?? 'GET'} ${task.path}: ${message}`)
      }
    }
  }

  await Promise.all(Array.from({ length: options.parallel }, work))
  agent.destroy()
  return { statuses, failures, refused }
}

function pathAndHeaders({ path, headers = {}, body }: Task, prefix: string) {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return { path: prefix + path, headers: { ...headers, ...length } }
}

function placeOf({ url, ca }: Target) {
  if (url.startsWith('unix:')) return { socketPath: url.slice('unix:'.length), prefix: '' }
  const { hostname, port, pathname } = new URL(url)
  return { hostname, port, prefix: pathname.replace(/\/$/, ''), ...(ca === undefined ? {} : { ca }) }
}
