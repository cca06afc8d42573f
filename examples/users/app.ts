import { FrameworkApp } from 'propylon'
import { health } from 'propylon/middleware'
import { map } from './config/routing.ts'
import { users } from './model/meta.ts'

export { map }

/** Statuses whose page for browsers is `templates/error.eta`. */
const ERRORS = [403, 404, 405, 413, 415, 500, 503]

export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  templates: new URL('./templates/', import.meta.url),
  public: new URL('./public/', import.meta.url),
  debug: process.env.NODE_ENV === 'development',
  requestTimeout: 60_000,
  errorPages: Object.fromEntries(ERRORS.map((status) => [status, 'error'])),
  middleware: [health({ check: async () => (await users()).get('health') })],
})
