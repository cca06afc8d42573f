/**
 * Static files and files sent by actions. Requires Node, Bun or Deno.
 *
 * @module
 */
export { type SendFileOptions, sendFile } from './send-file.ts'
export { type StaticFilesOptions, staticFiles } from './static-files.ts'
