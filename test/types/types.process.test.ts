/** Checks type tests, examples of the documentation and generated modules, all by one run of the compiler. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { PAGES, pagesIn, ROOT } from '../docs/blocks.ts'
import { addPages, addSources, syntaxErrors } from '../docs/compile.ts'
import { CASES, compareErrors, declaresTypes } from './cases.ts'
import { BROWSER, writeClients } from './clients.ts'
import { type Diagnostic, Programs } from './compiler.ts'
import { writeRoutes } from './routes.ts'

/** Folders of generated modules, and the content of each. */
const MODULES: Readonly<Record<string, readonly [test: string, write: (folder: string) => void | Promise<void>]>> = {
  routes: ['a chain of a thousand routes and resources compiles', writeRoutes],
}

const programs = new Programs()
const pages = pagesIn(...PAGES)
const blocks = addPages(programs, pages)
const sources = addSources(programs)
let errors: readonly Diagnostic[] = []

/** Returns the errors in a file or folder, and takes them from the rest. */
function errorsIn(path: string): readonly Diagnostic[] {
  const isIn = ({ file }: Diagnostic) => file === path || file.startsWith(path + sep)
  const found = errors.filter(isIn)
  errors = errors.filter((error) => !isIn(error))
  return found
}

/** Returns the places and messages of the errors in a file or folder. */
function textsIn(path: string): readonly string[] {
  return errorsIn(path).map(({ file, line, message }) => `${relative(programs.folder, file)}(${line}): ${message}`)
}

before(async () => {
  for (const [name, [, write]] of Object.entries(MODULES)) await write(join(programs.folder, 'modules', name))
  await writeClients(join(programs.folder, 'clients'))
  const isAlone = (path: string) => declaresTypes(readFileSync(path, 'utf8'))
  programs.add([...CASES.filter((path) => !isAlone(path)), 'modules/*/*.ts'])
  for (const path of CASES.filter(isAlone)) programs.add([path])
  programs.add(['clients/*.ts'], BROWSER)
  errors = programs.check()
})
after(() => programs.remove())

describe('the compiler reports the errors that a program states', () => {
  for (const path of CASES) {
    it(relative(ROOT, path), () => {
      const { stated, reported } = compareErrors(path, errorsIn(path))
      assert.deepEqual(reported, stated)
    })
  }
})

describe('generated modules', () => {
  for (const [name, [test]] of Object.entries(MODULES)) {
    it(test, () => assert.deepEqual(textsIn(join(programs.folder, 'modules', name)), []))
  }
  it('clients for browsers compile, and check arguments and results', () => {
    assert.deepEqual(textsIn(join(programs.folder, 'clients')), [])
  })
})

describe('the documentation', () => {
  it('has doc comments with examples that compile, with an import of all that they use', () => {
    assert.ok(sources.size > 70, `${sources.size} examples were found`)
    const found = [...sources].map(([file, source]) => [source, ...textsIn(file)])
    assert.deepEqual(
      found.filter(({ length }) => length > 1),
      [],
    )
  })
  for (const page of pages) {
    it(`${page.path} has code that compiles`, () => {
      const compiled = page.blocks.flatMap((block) => {
        const folder = blocks.get(block)
        return folder === undefined ? [] : textsIn(folder).map((text) => `the block in line ${block.line}: ${text}`)
      })
      assert.deepEqual([...compiled, ...syntaxErrors(programs.folder, page)], [])
    })
  }
})

it('nothing else has errors', () => assert.deepEqual(errors, []))
