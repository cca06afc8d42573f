import { FrameworkApp, isUnavailable } from 'propylon'
import { health, secureHeaders } from 'propylon/middleware'
import { check } from './config/health.ts'
import { log } from './config/log.ts'
import { map } from './config/routing.ts'
import { session } from './config/session.ts'

const isProduction = process.env.NODE_ENV === 'production'

/** The application. `npm start` serves it, and the tests call it. */
export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  templates: new URL('./templates/', import.meta.url),
  public: new URL('./public/', import.meta.url),
  debug: !isProduction,
  errorPages: { 403: 'errors/403', 404: 'errors/404', 500: 'errors/500' },
  unavailable: isUnavailable,
  requestTimeout: 60_000,
  // The OpenAPI document, /openapi.json, and its page, /openapi. Production has them without the condition.
  ...(!isProduction && { openapi: { title: 'project-name', version: '0.1.0' } }),
  session,
  middleware: [...log, health({ check }), secureHeaders()],
})
