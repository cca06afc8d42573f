import type { Request, Session } from 'propylon'
import { clientAddress } from 'propylon/middleware'
import { findTokenUser } from '../model/tokens.ts'
import { findUser, type User } from '../model/users.ts'
import { failures } from './failures.ts'

/** A request and its session: a controller of pages, a service, or the request of a WebSocket's handshake. */
export interface Visit {
  readonly request: Request
  readonly session: Session
}

/**
 * Returns the user of a request: of the token in `Authorization: Bearer`, or else of the session. Wrong tokens count as wrong
 * passwords do.
 *
 * @throws HTTPTooManyRequests - the address has sent too many of them.
 */
export function findVisitor(visit: Visit): Promise<User | undefined> {
  const token = bearerToken(visit.request)
  if (token === undefined) return findSignedIn(visit.session)
  const { environ, signal } = visit.request
  return failures.attempt({ address: clientAddress(environ) }, () => findTokenUser(token), { signal })
}

/** Returns the token that a program has sent. */
export function bearerToken(request: Request): string | undefined {
  return /^bearer +(.*)$/i.exec(request.header('authorization') ?? '')?.[1]
}

async function findSignedIn(session: Session): Promise<User | undefined> {
  const id = session.get('user')
  if (id === undefined) return undefined
  const user = await findUser(id)
  if (user !== undefined && user.stamp === session.get('stamp')) return user
  session.destroy()
  return undefined
}
