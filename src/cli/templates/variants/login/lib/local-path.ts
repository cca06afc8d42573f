/** Returns the path and query of a URL of this site, or undefined for anything else: nobody is sent to another site. */
export function localPath(typed: string): string | undefined {
  if (!typed.startsWith('/') || !URL.canParse(typed, 'http://site.invalid')) return undefined
  const { origin, pathname, search } = new URL(typed, 'http://site.invalid')
  // A path like //host/ would be another host to the browser.
  return origin === 'http://site.invalid' && !pathname.startsWith('//') ? pathname + search : undefined
}
