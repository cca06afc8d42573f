import { sql } from 'kysely'
import { FrameworkApp, isUnavailable } from 'propylon'
import { basicAuth, compress, health, secureHeaders } from 'propylon/middleware'
import { database } from './config/database.ts'
import { log } from './config/log.ts'
import { redis } from './config/redis.ts'
import { map } from './config/routing.ts'
import { session } from './config/session.ts'
import { signIn } from './lib/sign-in.ts'

/** Statuses whose page for browsers is `templates/error.eta`. */
const ERRORS = [400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 416, 429, 500, 503]

/** The application. `serve.ts` serves it. */
const app = new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  templates: new URL('./templates/', import.meta.url),
  public: new URL('./public/', import.meta.url),
  debug: process.env.NODE_ENV === 'development',
  errorPages: Object.fromEntries(ERRORS.map((status) => [status, 'error'])),
  unavailable: isUnavailable,
  session,
  openapi: {
    title: 'Wiki',
    version: '1.0.0',
    description: 'Pages of a team. Reading is open to everybody, writing needs a user.',
    securitySchemes: {
      basic: { type: 'http', scheme: 'basic' },
      session: { type: 'apiKey', in: 'cookie', name: 'session' },
    },
  },
  middleware: [
    log,
    secureHeaders(),
    compress(),
    health({ check: () => Promise.all([sql`select 1`.execute(database), redis?.ping()]) }),
    basicAuth(async (...credentials) => (await signIn(...credentials))?.name, {
      optional: true,
      realm: 'wiki',
    }),
  ],
})

app.onShutdown(() => database.destroy())
app.onShutdown(() => redis?.destroy())

export default app
