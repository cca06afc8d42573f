import { optionalPackage } from '../../base/optional-package.ts'
import type { CookieStore, TransportOptions } from './transport-options.ts'

/**
 * Returns the store of an option `cookies`, or undefined for none.
 *
 * @throws Error - a new jar is required and tough-cookie is not installed.
 */
export function cookieStoreOf(option: TransportOptions['cookies']): CookieStore | undefined {
  if (option === undefined || option === false) return undefined
  if (option !== true) return option
  const { CookieJar } = optionalPackage('tough-cookie', 'The option cookies: true')
  return new CookieJar()
}

/** Stores the cookies of a response. Ignores those that browsers ignore. */
export async function keepCookies(store: CookieStore, headers: Headers, url: string): Promise<void> {
  for (const cookie of headers.getSetCookie()) await store.setCookie(cookie, url, { ignoreError: true })
}
