import { SessionCookie } from './cookie.ts'
import { CookieSessions } from './cookie-sessions.ts'
import { checkOptions, type SessionOptions } from './session-options.ts'
import type { Sessions } from './sessions.ts'
import { StoredSessions } from './stored-sessions.ts'

/**
 * Returns the sessions that options describe: in a store, or in the cookie.
 *
 * @throws TypeError - an option is wrong.
 * @throws RangeError - a number is not above 0.
 */
export function sessionsOf(options: SessionOptions): Sessions {
  const settings = checkOptions(options)
  const cookie = new SessionCookie(options.cookie)
  if (options.store !== undefined) return new StoredSessions(options.store, settings, cookie)
  return new CookieSessions(settings, cookie, options.encrypt ?? false)
}
