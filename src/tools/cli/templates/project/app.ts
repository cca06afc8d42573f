import { FrameworkApp, isUnavailable } from 'propylon'
import { health, requestLog, secureHeaders } from 'propylon/middleware'
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
  errorPages: Object.fromEntries([400, 403, 404, 429, 500].map((status) => [status, 'error'])),
  unavailable: isUnavailable,
  requestTimeout: 60_000,
  // The OpenAPI document, /openapi.json, and its page, /openapi. Production has them without the condition.
  ...(!isProduction && { openapi: { title: 'project-name', version: '0.1.0' } }),
  session,
  // In development the debug mode logs requests. /readyz is 503 if its check throws.
  middleware: [...(isProduction ? [requestLog()] : []), health(), secureHeaders()],
})
