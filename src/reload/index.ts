/**
 * Live reloading for a server of one's own: `propylon serve --reload` uses the same. Node only.
 *
 * @module
 */
export { type ReloadingApplication, type ReloadingOptions, reloading } from './reloading.ts'
