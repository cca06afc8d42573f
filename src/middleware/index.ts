/**
 * Middleware: functions from one application to another, for `FrameworkApp({ middleware })` and plain applications.
 *
 * @module
 */
export { type CompressOptions, compress } from './compress.ts'
