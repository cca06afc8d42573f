/**
 * Builds `dist/` from `src/`: a module and its declarations for each entry of package.json, and chunks that they share.
 *
 * Modules find the framework's folder relative to their own URL. So every file is in a folder of `dist/`, as deep as the folders
 * of `src/`.
 */
import { defineConfig } from 'tsdown'
import manifest from './package.json' with { type: 'json' }

/** The rooms of `src/`, each after those that it imports. */
const ROOMS = ['base', 'wsgi', 'routing', 'http', 'controllers', 'app']

/** Modules that export a class under its own name with another type. In its file the build would rename the class. */
const RETYPED = /\/(?:app\/checked-app|controllers\/base-class)\.ts$/

/** Imports js-tokens. The chunk of its room is also loaded by entries that do not need that package, such as the routing. */
const APART = /\/base\/javascript\.ts$/

/** Information about the modules of the build. */
interface Modules {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

/** The modules that `import 'propylon'` loads, once they are known. */
let core: Set<string> | undefined

function coreOf(modules: Modules): ReadonlySet<string> {
  if (core === undefined) {
    core = new Set([`${import.meta.dirname}/src/index.ts`])
    for (const id of core) for (const each of modules.getModuleInfo(id)?.importedIds ?? []) core.add(each)
  }
  return core
}

/** Returns the name of an entry for tsdown: the path of its file below `dist/` without the extension. */
function outputName(file: string): string {
  return file.slice('./dist/'.length, -'.js'.length)
}

const entries = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [[outputName(target.default), target['propylon-source']]],
)

export default defineConfig({
  entry: {
    ...Object.fromEntries(entries),
    [outputName(manifest.bin.propylon)]: 'src/tools/cli/main.ts',
  },
  tsconfig: 'tsconfig.build.json',
  deps: { neverBundle: true },
  inputOptions: { preserveEntrySignatures: 'allow-extension' },
  treeshake: { moduleSideEffects: false },
  fixedExtension: false,
  hash: false,
  outputOptions: {
    chunkFileNames: 'chunks/[name].js',
    comments: { annotation: true, jsdoc: false, legal: false },
    // The time to import the package depends on the number of files, so `import 'propylon'` loads one chunk for each room.
    codeSplitting: {
      groups: [
        ...ROOMS.map((room) => ({
          debugName: room,
          name: (id: string, modules: Modules) =>
            coreOf(modules).has(id) && id.includes(`/src/${room}/`) && !RETYPED.test(id) && !APART.test(id)
              ? room
              : null,
        })),
        // The same for the declaration of the class: the entry declares the other type.
        { name: 'framework-app.d', test: /\/framework-app\.d\.ts$/, includeDependenciesRecursively: false },
      ],
    },
  },
  // TypeScript 7.0 writes the declarations of all modules, which are then joined. Its API comes with 7.1.
  suppressWarnings: 'TypeScript 7.0 is deprecated',
  checks: { bundlerTimings: false },
})
