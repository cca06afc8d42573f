import { Request } from 'propylon'
import { clientAddress, limitFailures } from 'propylon/middleware'
import type { Environ } from 'propylon/wsgi'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { redis } from '../config/redis.ts'
import { authenticate, type User } from '../model/users.ts'

/** Ten wrong passwords in a minute, for one name or one address, refuse all further attempts. */
const failures = limitFailures({
  max: 10,
  window: 60,
  name: 'wiki_login',
  ...(redis && {
    store: (rule) => new RateLimiterRedis({ storeClient: redis, useRedisPackage: true, ...rule }),
  }),
})

/** Returns the user of a name and a password, by form or by HTTP Basic. */
export function signIn(name: string, password: string, environ: Environ): Promise<User | undefined> {
  const keys = { name: name.toLowerCase(), address: clientAddress(environ) }
  const { signal } = Request.of(environ)
  return failures.attempt(keys, () => authenticate(name, password, signal), { signal })
}
