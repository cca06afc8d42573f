// The log of requests.
import { requestLog } from 'propylon/middleware'
import type { Middleware } from 'propylon/wsgi'

/** The log of requests: JSON in production. In development the debug mode of the application writes a line for each. */
export const log: readonly Middleware[] = process.env.NODE_ENV === 'production' ? [requestLog()] : []
