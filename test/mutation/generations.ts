/**
 * Loads the checkout's modules again without a new process: each generation has module instances of its own.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const STAND_IN = new URL('./node-test.ts', import.meta.url).href

/**
 * Registers the hooks that give every module below `root`, except for packages, the generation of its importer, and that
 * replace `node:test` in them.
 *
 * @returns a function that returns the URL of a file in a generation.
 */
export function registerGenerations(root: string): (file: string, generation: number) => string {
  const base = pathToFileURL(`${root}/`).href
  const sources = new Map<string, string>()
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const generation = /\?generation=\d+$/.exec(context.parentURL ?? '')?.[0]
      if (generation === undefined) return nextResolve(specifier, context)
      if (specifier === 'node:test') return { url: STAND_IN, shortCircuit: true }
      const resolved = nextResolve(specifier, context)
      const { url } = resolved
      const isOwn = url.startsWith(base) && !url.includes('/node_modules/') && /\.[jt]s$/.test(url)
      return isOwn ? { ...resolved, url: url + generation } : resolved
    },
    load(url, context, nextLoad) {
      if (!/\.ts\?generation=\d+$/.test(url)) return nextLoad(url, context)
      const file = fileURLToPath(url)
      const source = sources.get(file) ?? stripTypeScriptTypes(readFileSync(file, 'utf8'))
      sources.set(file, source)
      return { format: 'module', source, shortCircuit: true }
    },
  })
  return (file, generation) => `${new URL(file, base).href}?generation=${generation}`
}
