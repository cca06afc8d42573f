/**
 * Names of files within a directory, separated by slashes, such as `css/app.css`.
 *
 * @module
 */

/** Device names, streams, and characters that Windows drops or refuses. Other systems allow them in file names. */
const SPECIAL_ON_WINDOWS = /[<>:"|?*]|[. ]$|^(?:aux|con|conin\$|conout\$|nul|prn|(?:com|lpt)[\d¹²³])(?:\.|$)/i

const isWindows = typeof process !== 'undefined' && process.platform === 'win32'

/**
 * Returns true if a name may be served: each of its parts is a plain name. It leads neither out of the directory nor to a
 * dot file. It may still lead to a directory, or through a symbolic link.
 */
export function isServedName(name: string): boolean {
  return name.split('/').every(isServedPart)
}

function isServedPart(part: string): boolean {
  if (part === '' || part.startsWith('.') || part.includes('\\') || part.includes('\0')) return false
  return !isWindows || !SPECIAL_ON_WINDOWS.test(part)
}

/**
 * Returns the name of the file for a percent-encoded path, or `undefined` if no file can have the path. An encoded slash
 * separates nothing, so a file has one path only.
 *
 * @example
 * ```ts
 * fileNameOf('/css/app%20shell.css') // 'css/app shell.css'
 * fileNameOf('/%2e%2e/secrets') // undefined
 * ```
 */
export function fileNameOf(rawPath: string): string | undefined {
  if (!rawPath.startsWith('/')) return undefined
  const parts: string[] = []
  for (const raw of rawPath.slice(1).split('/')) {
    const part = decode(raw)
    if (part === undefined || part.includes('/') || !isServedPart(part)) return undefined
    parts.push(part)
  }
  return parts.join('/')
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
