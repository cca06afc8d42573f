/**
 * Middleware: functions from one application to another, for `FrameworkApp({ middleware })` and plain applications.
 *
 * @module
 */
export { type CompressOptions, compress } from './compress.ts'
export { type RequestLogEntry, type RequestLogOptions, requestLog } from './request-log.ts'
