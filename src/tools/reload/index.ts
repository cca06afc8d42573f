/**
 * Live reload for a program that calls `serve()` itself. Node only.
 *
 * @module
 */
export { type ReloadingApplication, type ReloadingOptions, reloading } from './reloading.ts'
