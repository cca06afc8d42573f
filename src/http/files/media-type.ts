import mime from 'mime'

/**
 * Returns the Content-Type for a file name, by the table of the package `mime` (IANA's types and those in common use).
 * Text is UTF-8. Unknown types are `application/octet-stream`, which browsers save instead of showing.
 *
 * @example
 * ```ts
 * contentTypeOf('app.css') // 'text/css; charset=utf-8'
 * ```
 */
export function contentTypeOf(name: string): string {
  // A name without a slash and a dot would be taken for an extension.
  const type = mime.getType(`/${name}`) ?? 'application/octet-stream'
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}
