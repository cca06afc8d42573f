/**
 * Spans of OpenTelemetry, made from the tracing channels.
 *
 * @module
 */

export { trace } from './trace.ts'
