import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { isProcessTest, needOf, testFiles } from '../scripts/testing/files.ts'

const root = new URL('../', import.meta.url)
const page = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8')
/** The rooms of the table: their folder, what they hold, and the names of the rooms that they import. */
const rooms = [...page.matchAll(/^\| `src\/(\w+)\/` \| (.*) \| (.*)\|$/gm)].map(
  ([, name = '', contents = '', imports = '']) => ({
    name,
    contents,
    imports: imports.split(',').map((room) => room.trim()),
  }),
)

/** Imports and exports of a module by relative path, with those of types. */
const IMPORT = /(?:\bfrom|\bimport\(|^import)\s*'(\.[^']+)'/gm

/** Returns the modules that a module of the source imports. */
function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file, root), 'utf8')
  return [...text.matchAll(IMPORT)].map(([, path = '']) => join(dirname(file), path))
}

/** Modules of the rooms by the modules that they import. */
const imported = new Map(
  globSync('src/*/**/*.ts', { cwd: root, exclude: ['src/tools/cli/templates/**'] }).map((file) => [
    file,
    importsOf(file),
  ]),
)

/** Returns the code of a module without its comments. */
function codeOf(file: string): string {
  return readFileSync(new URL(file, root), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

const roomOf = (file: string) => file.split('/')[1] ?? ''

/** Returns the code spans of a text that name a file or a folder. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/`(\.?[\w./-]+(?:\.(?:ts|md|json)|\/))`/g)].map(([, path = '']) => path)
}

describe('ARCHITECTURE.md', () => {
  it('has a row for each room', () => {
    const folders = readdirSync(new URL('src/', root), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    assert.deepEqual(rooms.map(({ name }) => name).sort(), folders.map(({ name }) => name).sort())
  })

  for (const { name, contents } of rooms) {
    it(`names files that exist in src/${name}/`, () => {
      for (const path of pathsIn(contents)) {
        assert.ok(
          existsSync(new URL(`src/${name}/${path}`, root)),
          `src/${name}/${path} does not exist. Correct ARCHITECTURE.md.`,
        )
      }
    })
  }

  it('names paths that exist outside of the table', () => {
    const prose = page.replaceAll(/^\|.*$/gm, '')
    // A checkout has no dist/ before it is built.
    const paths = pathsIn(prose).filter((path) => path !== 'dist/')
    assert.ok(paths.length > 20)
    for (const path of paths) {
      assert.ok(existsSync(new URL(path, root)), `${path} does not exist. Correct ARCHITECTURE.md.`)
    }
  })
})

describe('the imports of src/', () => {
  for (const { name, imports } of rooms) {
    it(`lead from ${name} to the rooms that ARCHITECTURE.md lists`, () => {
      const wrong = [...imported]
        .filter(([file]) => roomOf(file) === name)
        .flatMap(([file, targets]) => targets.map((target) => ({ file, target })))
        .filter(({ target }) => roomOf(target) !== name && !imports.includes(roomOf(target)))
        .map(({ file, target }) => `${file} imports ${target}`)
      assert.deepEqual(wrong, [])
    })
  }

  it('use none of the entries, which would lead back to any room', () => {
    const own = /(?:\bfrom|\bimport\(|^import)\s*'propylon(?:\/[\w-]+)?'/m
    const outside = (file: string) => codeOf(file).replaceAll(/`[^`]*`/g, '')
    assert.deepEqual(
      [...imported.keys()].filter((file) => own.test(outside(file))),
      [],
    )
  })

  it('lead to Node only where ARCHITECTURE.md says so', () => {
    const stated = /^Only (.*?) require Node\./ms.exec(page)?.[1] ?? ''
    const folders = pathsIn(stated)
    assert.ok(folders.length > 0)
    const wrong = [...imported.keys()].filter(
      (file) =>
        /^(?:import|export) (?!type\b)[^'"]*from 'node:/m.test(codeOf(file)) &&
        !folders.some((folder) => file.startsWith(folder)),
    )
    assert.deepEqual(wrong, [])
  })

  it('have no cycle, types included', () => {
    const done = new Set<string>()
    const path: string[] = []
    const visit = (file: string): void => {
      if (done.has(file)) return
      const at = path.indexOf(file)
      assert.equal(at, -1, `import cycle: ${[...path.slice(at), file].join(' -> ')}`)
      path.push(file)
      for (const target of imported.get(file) ?? []) visit(target)
      path.pop()
      done.add(file)
    }
    assert.ok(imported.size > 400)
    for (const file of imported.keys()) visit(file)
  })
})

describe('the constructors of src/', () => {
  /** Files, the module loader, processes, timers, sockets, arguments and promises. */
  const ACTS =
    /process\.(?:argv|env)|\b(?:import|fetch|set(?:Timeout|Interval|Immediate)|spawn|createServer)\(|\bregisterHooks\b|\w+Sync\(|\bawait\b|\.then\(|\.listen\(/
  /** A nested function is called later. */
  const NESTED = /=> (?:\{[\s\S]*?\n {4}\}|[^\n]*)/g

  it('start nothing and read neither files nor the arguments of the process', () => {
    const acting = [...imported.keys()].flatMap((file) => {
      const text = readFileSync(new URL(file, root), 'utf8')
      const bodies = [...text.matchAll(/^ {2}constructor\([\s\S]*?\n {2}\}\n/gm)].map(([body]) => body)
      return bodies.filter((body) => ACTS.test(body.replaceAll(NESTED, ''))).map(() => file)
    })
    assert.deepEqual(acting, [])
  })
})

describe('the rules of src/', () => {
  it('have their methods of requests from one list', () => {
    const list = /\[\s*(?:'[A-Z]+',\s*)*'(?:PUT|PATCH|DELETE)'/
    const lists = [...imported.keys()].filter((file) => list.test(codeOf(file)))
    assert.deepEqual(lists, ['src/base/methods.ts'])
  })
})

describe('the entries', () => {
  const entries: { file: string; loads: RegExp }[] = [
    { file: 'src/routing/index.ts', loads: /^src\/(?:base|routing)\// },
    {
      file: 'src/rpc/xmlrpc/index.ts',
      loads: /^src\/(?:base|rpc\/(?:xmlrpc|transport))\//,
    },
    {
      file: 'src/index.ts',
      loads: /^src\/(?!tools\/|rpc\/(?:xmlrpc\/client\.ts|(?:jsonrpc|transport|client)\/))/,
    },
    { file: 'src/http/files/index.ts', loads: /^src\/(?:base|wsgi|http)\// },
  ]
  for (const { file, loads } of entries) {
    it(`load what they export: ${file}`, () => {
      const found = new Set([file])
      for (const each of found) for (const target of importsOf(each)) found.add(target)
      assert.deepEqual(
        [...found].filter((each) => !loads.test(each)),
        [],
      )
    })
  }
})

describe('the tests', () => {
  it('use the public entries, except for at most 40 files', () => {
    const files = globSync('test/**/*.ts', { cwd: root, exclude: ['test/.*/**', '**/node_modules/**'] })
    const inside = files.filter((file) => {
      const text = readFileSync(new URL(file, root), 'utf8')
      const imported = [...text.matchAll(/from '(?:\.\.\/)+src\/([^']+)'/g)].map(([, path = '']) => path)
      return imported.some((path) => !path.endsWith('index.ts'))
    })
    assert.ok(inside.length > 0)
    assert.ok(inside.length <= 40, `${inside.length} files import a private module:\n${inside.join('\n')}`)
  })

  it('start processes only in files that are named *.process.test.ts', () => {
    const modules = new Set(globSync('test/**/*.ts', { cwd: root, exclude: ['test/.*/**', '**/node_modules/**'] }))
    const starts = new Map<string, boolean>()
    const canStart = (file: string): boolean => {
      const known = starts.get(file)
      if (known !== undefined) return known
      starts.set(file, false)
      const text = readFileSync(new URL(file, root), 'utf8')
      const paths = [...text.matchAll(IMPORT)].map(([, path = '']) => join(dirname(file), path))
      const can =
        /from 'node:(?:child_process|cluster)'|^export function typedProject\b/m.test(text) ||
        paths.some((path) => path.startsWith('test/') && modules.has(path) && canStart(path))
      starts.set(file, can)
      return can
    }
    const wrong = testFiles()
      .filter((file) => needOf(file) === undefined && canStart(file) !== isProcessTest(file))
      .map((file) => (isProcessTest(file) ? `${file} starts none: drop ".process"` : `${file} starts some`))
    assert.deepEqual(wrong, [], 'see docs/contributing/testing.md')
  })
})
