/**
 * Encodes multipart bodies as browsers do (HTML §4.10.22.8, RFC 7578).
 *
 * The platform's FormData encoding omits the file name of an empty file field, which browsers send.
 *
 * @module
 */

/** A multipart body and the content type that names its boundary. */
export interface MultipartBody {
  readonly content: Uint8Array
  readonly contentType: string
}

/** Encodes names and values in order. Line ends in names and texts become CRLF. */
export async function encodeMultipart(
  entries: Iterable<readonly [name: string, value: string | File]>,
): Promise<MultipartBody> {
  const boundary = `----TestAppFormBoundary${crypto.randomUUID().replaceAll('-', '')}`
  const parts: (string | File)[] = []
  for (const [name, value] of entries) {
    parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${escapeQuotes(withCrlf(name))}"`)
    if (typeof value === 'string') parts.push(`\r\n\r\n${withCrlf(value)}\r\n`)
    else {
      const type = value.type || 'application/octet-stream'
      parts.push(`; filename="${escapeQuotes(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`, value, '\r\n')
    }
  }
  parts.push(`--${boundary}--\r\n`)
  const content = new Uint8Array(await new Blob(parts).arrayBuffer())
  return { content, contentType: `multipart/form-data; boundary=${boundary}` }
}

/** Returns a text with CRLF for every line end, as forms send it. */
export function withCrlf(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n')
}

function escapeQuotes(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
