/** Lists the test files and what they need. */
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The root of the checkout. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Directories under test/ whose tests need more than the checkout, and what they need. */
export const NEEDS_MORE: Readonly<Record<string, string>> = {
  browser: 'Chromium',
  interop: "other people's XML-RPC clients and servers",
  mcp: 'the conformance suite and clients of the Model Context Protocol',
  openapi: 'linters of OpenAPI documents',
  package: 'the packed package and the npm registry',
  runtimes: 'other runtimes and bundlers: Node 22 and 26, Bun, Deno, workerd, esbuild, Rollup, Vite',
  storage: 'a server with the API of S3',
}

/** Returns the paths of all test files from the root of the checkout. */
export function testFiles(): readonly string[] {
  return globSync(['test/**/*.test.ts', 'examples/*/tests/**/test_*.ts'], {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/.*/**'],
  }).sort()
}

/** Returns what a file needs beyond the checkout, or undefined. */
export function needOf(file: string): string | undefined {
  const [, name = ''] = /^test\/([^/]+)\//.exec(file) ?? []
  return Object.hasOwn(NEEDS_MORE, name) ? NEEDS_MORE[name] : undefined
}

/** Returns whether a file may start processes, such as a compiler or a server, which its name says. */
export function isProcessTest(file: string): boolean {
  return file.endsWith('.process.test.ts')
}
