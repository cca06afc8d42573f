/**
 * Builds dist/ from src/, and llms.txt from the documentation. tsc writes declarations and plain modules, Rollup joins the modules. The code has no comments, and short
 * names for parameters and local variables. The names of functions and one line for each statement stay, so that stack traces can be read without source maps.
 *
 * Each entry of package.json is one module, and each folder of `src/` one chunk that the entries share, because the time to
 * import the package depends on the number of files. Bundlers leave out the folders that an application does not use.
 *
 * Modules find the framework's folder relative to their own URL. So every file is in a folder of `dist/`, as deep as the
 * folders of `src/`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type GetModuleInfo, rollup } from '@rollup/wasm-node'
import { packedList } from './llms.ts'
import { shortenCode } from './smaller-code.ts'
import { trimDeclarations } from './smaller-declarations.ts'

/** Modules that are imported by their URL, relative to a module of a room as in `src/`. */
const IMPORTED_BY_URL = {
  'tools/check/blocked': 'tools/check/blocked',
  'tools/check/syntax-fault': 'tools/check/syntax-fault',
}

/** Chunks of folders that import each other and are one chunk. */
const JOINED: ReadonlyMap<string, string> = new Map([
  ['app-error-pages', 'app'],
  ['app-sockets', 'app'],
  ['controllers-forms', 'controllers'],
  ['http-body', 'http'],
  ['rpc-controllers', 'rpc-services'],
  ['rpc-faces', 'rpc-services'],
  ['rpc-mcp', 'rpc-services'],
])

/**
 * Modules of a folder that have a chunk of their own, because most users of the folder never load them, or because most of their
 * users load nothing else of the folder.
 */
const APART: readonly (readonly [modules: RegExp, chunk: string])[] = [
  [/^app\/check-options\.js$/, 'app-check-options'],
  [/^rpc\/controllers\/(?:call-signature|signatures)\.js$/, 'rpc-signatures'],
  [/^http\/body\/(?:multipart|parts)\.js$/, 'http-multipart'],
  [
    /^rpc\/service-types\/(?:generate|json-schema|openapi-operations|service-document)\.js$/,
    'rpc-document-types',
  ],
]

/** The modules that `import 'propylon'` loads, once they are known. */
let core: ReadonlySet<string> | undefined

interface Manifest {
  readonly bin: { readonly propylon: string }
  readonly exports: Readonly<Record<string, string | Entry>>
}

interface Entry {
  readonly 'propylon-source': string
  readonly types: string
  readonly default: string
}

const root = fileURLToPath(new URL('../', import.meta.url))
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const modules = mkdtempSync(join(root, 'node_modules/.propylon-build-'))
try {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  compile('--emitDeclarationOnly', '--outDir', 'dist')
  compile('--declaration', 'false', '--removeComments', '--outDir', modules)
  await bundle()
  const entries = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [join(root, entry.types)],
  )
  trimDeclarations(join(root, 'dist'), entries)
  writeFileSync(join(root, 'llms.txt'), packedList())
} finally {
  rmSync(modules, { recursive: true })
}

/** Runs tsc. Ends the process if it fails. */
function compile(...options: string[]): void {
  const tsc = join(root, 'node_modules/.bin/tsc')
  const { status } = spawnSync(tsc, ['-p', 'tsconfig.build.json', ...options], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('tsc failed')
}

async function bundle(): Promise<void> {
  const inputs = {
    ...Object.fromEntries(Object.values(manifest.exports).flatMap(inputOf)),
    [outputName(manifest.bin.propylon)]: 'tools/cli/main',
    ...IMPORTED_BY_URL,
  }
  const build = await rollup({
    input: Object.fromEntries(
      Object.entries(inputs).map(([name, module]) => [name, join(modules, `${module}.js`)]),
    ),
    external: /^[^./]/,
    treeshake: { moduleSideEffects: false },
    onwarn(warning) {
      // The helper of tsc for `using` looks at `this`.
      if (warning.code !== 'THIS_IS_UNDEFINED') throw new Error(warning.message)
    },
  })
  await build.write({
    dir: join(root, 'dist'),
    chunkFileNames: 'chunks/[name].js',
    manualChunks: chunkOf,
    plugins: [{ name: 'short', renderChunk: async (code) => ({ code: await shortenCode(code), map: null }) }],
    externalLiveBindings: false,
    // Each chunk imports what it uses. Rollup would repeat the imports of those chunks.
    hoistTransitiveImports: false,
    generatedCode: 'es2015',
  })
}

function inputOf(entry: string | Entry): [string, string][] {
  if (typeof entry === 'string') return []
  return [[outputName(entry.default), entry['propylon-source'].slice('./src/'.length, -'.ts'.length)]]
}

/** Returns the name of a file of `dist/`, without its extension. */
function outputName(file: string): string {
  const name = /^\.\/dist\/([^/]+\/[^/]+)\.js$/.exec(file)?.[1]
  if (name === undefined) throw new Error(`package.json: ${file} must be a file in a folder of ./dist/`)
  return name
}

/**
 * Returns the name of a module's chunk: `wsgi-node` for `wsgi/node/listener.js`, and `wsgi-more` if the module is not part of
 * what `import 'propylon'` loads. Undefined for modules that Rollup divides by their importers: those that only export, and
 * the tools.
 */
function chunkOf(
  module: string,
  { getModuleInfo }: { readonly getModuleInfo: GetModuleInfo },
): string | undefined {
  core ??= importedBy(join(modules, 'index.js'), getModuleInfo)
  const chunk = folderOf(module)
  if (chunk === undefined || core.has(module)) return chunk
  return [...core].some((each) => folderOf(each) === chunk) ? `${chunk}-more` : chunk
}

function folderOf(module: string): string | undefined {
  const folders = relative(modules, module).split(sep)
  const file = folders.pop()
  if (file === undefined || file === 'index.js') return undefined
  // The first module must not be imported by a command that it waits for.
  if (folders[0] === 'tools') return file === 'hangup.js' ? 'hangup' : undefined
  const path = [...folders, file].join('/')
  const apart = APART.find(([modules]) => modules.test(path))
  if (apart !== undefined) return apart[1]
  const name = folders.join('-')
  return JOINED.get(name) ?? name
}

/** Returns the modules that a module imports, directly or through each other. */
function importedBy(module: string, getModuleInfo: GetModuleInfo): ReadonlySet<string> {
  const found = new Set([module])
  for (const each of found) for (const id of getModuleInfo(each)?.importedIds ?? []) found.add(id)
  return found
}
