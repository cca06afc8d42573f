import { concatBytes, toBytes } from '../../base/bytes.ts'
import { escapeHtml } from '../../http/html.ts'
import { onThisHost } from '../../routing/percent.ts'
import { rawScriptName } from '../../wsgi/request-url.ts'
import type { Body, Chunk, Environ, HeaderPair, StartResponse, WSGIApplication } from '../../wsgi/types.ts'
import { SCRIPT_PATH } from './live-events.ts'

/** Encodings in which the bytes of the tag would differ from ASCII. */
const NOT_ASCII = /charset\s*=\s*"?utf-?(16|32)/i

/** Headers that do not apply to the page with the script. */
const REPLACED_HEADERS = /^(content-length|etag|last-modified|cache-control|expires|accept-ranges)$/i

/** Headers of an encoded or partial response, and those with a digest of the body. */
const UNCHANGEABLE = /^(content-encoding|content-range|content-md5|(content-|repr-)?digest)$/i

/** A page that reloads itself: the script's parameters. */
export interface LivePage {
  /** Name of the state of the files before the application ran. */
  readonly state: string
  /** The mount point of the reloading application, percent-decoded. */
  readonly scriptName: string
}

/** Returns true if a browser may have sent the request to open a page. */
export function mayBePage(environ: Environ): boolean {
  const destination = environ.HTTP_SEC_FETCH_DEST
  return environ.REQUEST_METHOD === 'GET' && (destination === undefined || destination === 'document')
}

/**
 * Runs an application and adds the script to a response that is a whole HTML page. Streams, fragments and all other
 * responses are unchanged.
 *
 * @param page - has SCRIPT_NAME as the request entered. A route with `path_info` extends SCRIPT_NAME later, with text
 *   from the client.
 */
export function withScript(
  app: WSGIApplication,
  { state, scriptName }: LivePage,
  environ: Environ,
  start_response: StartResponse,
): Body | Promise<Body> {
  // A document that a browser opens is a page even if it is empty: its template may be read while it is being written.
  const isDocument = environ.HTTP_SEC_FETCH_DEST === 'document'
  /** The head of a page, until its body is known. */
  let held: Parameters<StartResponse> | undefined
  let isOver = false
  const finish = (body: Body): Body => {
    isOver = true
    if (held === undefined) return body
    const [status, headers, excInfo] = held
    const script = `${onThisHost(rawScriptName(environ, scriptName))}${SCRIPT_PATH}?seen=${state}`
    const page = isWhole(body) ? pageWith(body, script, headers, isDocument) : undefined
    if (page === undefined) {
      start_response(...held)
      return body
    }
    start_response(status, headersOf(headers, page), excInfo)
    return Object.assign([page], { close: () => body.close?.() })
  }
  const body = app(environ, (...head) => {
    if (isOver || !isPage(head)) {
      held = undefined
      return start_response(...head)
    }
    held = head
    return (chunk) => {
      // A response that calls write() is a stream.
      held = undefined
      start_response(...head)(chunk)
    }
  })
  return body instanceof Promise ? body.then(finish) : finish(body)
}

function isPage([status, headers]: Parameters<StartResponse>): boolean {
  if (/^(1|204|205|206|304)/.test(status)) return false
  if (headers.some(([name]) => UNCHANGEABLE.test(name))) return false
  const type = headerOf(headers, 'content-type')
  return /^text\/html\s*(;|$)/i.test(type) && !NOT_ASCII.test(type)
}

function isWhole(body: Body): body is Body & readonly Chunk[] {
  return Array.isArray(body)
}

/** Returns the page with the script before `</body>`. Undefined for a fragment, unless a browser opens it. */
function pageWith(
  chunks: readonly Chunk[],
  script: string,
  headers: readonly HeaderPair[],
  isDocument: boolean,
): Uint8Array | undefined {
  const page = Buffer.from(concatBytes(chunks.map(toBytes)))
  const text = page.toString('latin1')
  const end = text.toLowerCase().lastIndexOf('</body')
  if (end === -1 && !isDocument && !/^\s*<(!doctype\s+html|html)\b/i.test(text.slice(0, 1000))) return undefined
  const nonce = /'nonce-([A-Za-z0-9+/_=-]+)'/.exec(headerOf(headers, 'content-security-policy'))?.[1]
  const tag = `<script src="${escapeHtml(script)}"${nonce === undefined ? '' : ` nonce="${nonce}"`} defer></script>\n`
  const at = end === -1 ? page.length : end
  return concatBytes([page.subarray(0, at), toBytes(tag), page.subarray(at)])
}

/** Forbids caching: a cached page has the state of the time when it was created. */
function headersOf(headers: readonly HeaderPair[], page: Uint8Array): HeaderPair[] {
  const kept = headers.filter(([name]) => !REPLACED_HEADERS.test(name))
  return [...kept, ['Cache-Control', 'no-store'], ['Content-Length', String(page.length)]]
}

function headerOf(headers: readonly HeaderPair[], wanted: string): string {
  return headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : [])).join(', ')
}
