import { requestLog } from 'propylon/middleware'

/** The log of requests, in production. It gives each request its id, so it is not left out elsewhere. */
export const log = process.env.NODE_ENV === 'production' ? requestLog() : requestLog({ write() {} })
