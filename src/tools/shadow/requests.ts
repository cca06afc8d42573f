/**
 * Recorded requests: a HAR file, or the lines that `forwardTo({ record })` writes.
 *
 * @module
 */
import { createReadStream, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { CommandError } from '../../base/command-line/command-errors.ts'
import { isRecord } from '../../base/record.ts'

/** A request to replay. */
export interface ShadowRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array | undefined
  /** Whether the request had a body that is not recorded. */
  readonly lacksBody: boolean
}

/**
 * Reads recorded requests in order. Of a HAR file, those to the origin of the first request.
 *
 * @throws CommandError - the file is neither kind, or a line is malformed.
 */
export async function* readRequests(path: string): AsyncIterable<ShadowRequest> {
  if (await isHar(path)) {
    yield* harRequests(path)
    return
  }
  let number = 0
  for await (const line of createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number += 1
    if (line.trim() !== '')
      yield recordedRequest(parsed(line, `line ${number} of ${path}`), `line ${number} of ${path}`)
  }
}

/** Returns true if the first JSON of a file is not complete on its first line, or has a log. */
async function isHar(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0)
    return /^\uFEFF?\s*\{\s*"log"/.test(buffer.toString('utf8', 0, bytesRead))
  } finally {
    await file.close()
  }
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CommandError(`${place} is not JSON`, { cause })
  }
}

function malformed(place: string): CommandError {
  return new CommandError(`${place} is not a request: it needs method, url and headers`)
}

function recordedRequest(value: unknown, place: string): ShadowRequest {
  if (!isRecord(value)) throw malformed(place)
  const { method, url, headers, body, omitsBody } = value
  if (typeof method !== 'string' || typeof url !== 'string' || !Array.isArray(headers)) throw malformed(place)
  return {
    method,
    target: url,
    headers: headers.map((field) => {
      if (!Array.isArray(field)) throw malformed(place)
      return [String(field[0]).toLowerCase(), String(field[1])]
    }),
    body: typeof body === 'string' ? Buffer.from(body, 'base64') : undefined,
    lacksBody: omitsBody === true,
  }
}

/** Returns the requests of a HAR file (HAR 1.2). */
function* harRequests(path: string): Iterable<ShadowRequest> {
  const document = parsed(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''), path)
  const log = isRecord(document) ? document.log : undefined
  const entries = isRecord(log) ? log.entries : undefined
  if (!Array.isArray(entries)) throw new CommandError(`${path} has no list of requests at log.entries`)
  let origin: string | undefined
  for (const [index, entry] of entries.entries()) {
    const place = `entry ${index} of ${path}`
    const request: unknown = isRecord(entry) ? entry.request : undefined
    if (!isRecord(request)) throw malformed(place)
    const { method, url, headers, postData } = request
    if (typeof method !== 'string' || typeof url !== 'string' || !URL.canParse(url)) throw malformed(place)
    const address = new URL(url)
    origin ??= address.origin
    if (address.origin !== origin) continue
    const text = isRecord(postData) ? postData.text : undefined
    yield {
      method,
      target: address.pathname + address.search,
      headers: (Array.isArray(headers) ? headers : []).flatMap((field: unknown) =>
        isRecord(field) ? [[String(field.name).toLowerCase(), String(field.value)] as const] : [],
      ),
      body: typeof text === 'string' ? Buffer.from(text) : undefined,
      lacksBody: isRecord(postData) && typeof text !== 'string',
    }
  }
}
