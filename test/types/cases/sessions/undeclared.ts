/** Names and values of a session if nothing is declared: every name and every JSON value. */
import type { Session, SessionValue } from 'propylon'

export function use(session: Session): SessionValue | undefined {
  // @ts-expect-error not JSON
  session.set('born', new Date())
  // @ts-expect-error not JSON
  session.set('nick', undefined)
  return session.set('list', [1, { a: null }]).get('anything')
}
