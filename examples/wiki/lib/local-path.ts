/** Returns the path and query of a URL below a mount point, or undefined for anything else: nobody is sent to another site. */
export function localPath(typed: string, mountPoint: string): string | undefined {
  if (!typed.startsWith('/') || !URL.canParse(typed, 'http://site.invalid')) return undefined
  const { origin, pathname, search } = new URL(typed, 'http://site.invalid')
  // A path like //host/ would be another host to the browser.
  const isOwn =
    origin === 'http://site.invalid' && !pathname.startsWith('//') && pathname.startsWith(`${mountPoint}/`)
  return isOwn ? pathname + search : undefined
}
