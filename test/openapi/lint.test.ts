/** Documents in the recommended rules of Redocly and Spectral. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { documentOf, Mapper } from '../app/openapi/documents.ts'
import { shelf } from '../app/openapi/shelf.ts'
import { BooksController } from '../controllers/declarations/books.ts'

/** The parts of `@redocly/openapi-core` that this file uses. */
interface Redocly {
  createConfig(config: object): Promise<unknown>
  lintFromString(
    options: object,
  ): Promise<{ ruleId: string; message: string; location: { pointer?: string }[] }[]>
}

/** The part of `@stoplight/spectral-core` that this file uses. */
interface SpectralCore {
  Spectral: new () => {
    setRuleset(ruleset: object): void
    run(document: object): Promise<{ code: string | number; message: string; path: (string | number)[] }[]>
  }
}

// Installed in this folder only, so that their types are not known to the compiler.
const require = createRequire(import.meta.url)
const redocly: Redocly = await import(pathToFileURL(require.resolve('@redocly/openapi-core')).href)
const { Spectral }: SpectralCore = require('@stoplight/spectral-core')
const { oas }: { oas: object } = require('@stoplight/spectral-rulesets')

async function problemsOf(document: object): Promise<string[]> {
  const config = await redocly.createConfig({ extends: ['recommended'] })
  const source = JSON.stringify(document)
  const found = await redocly.lintFromString({ source, absoluteRef: '/openapi.json', config })
  const spectral = new Spectral()
  spectral.setRuleset({ extends: [oas] })
  const others = await spectral.run(JSON.parse(source))
  return [
    ...found.map(({ ruleId, message, location }) => `Redocly ${ruleId}: ${message} ${location[0]?.pointer}`),
    ...others.map(({ code, message, path }) => `Spectral ${code}: ${message} ${path.join('/')}`),
  ]
}

describe('linters have no warning about', () => {
  it('the document of a resource', async () => {
    const document = await documentOf(
      new Mapper().resource('book', 'books'),
      { books: BooksController },
      { license: { name: 'MIT', identifier: 'MIT' }, servers: [{ url: 'https://books.example.org' }] },
    )
    assert.deepEqual(await problemsOf(document), [])
  })

  it('a document with all that actions can declare', async () => {
    assert.deepEqual(await problemsOf(await shelf()), [])
  })

  it('but about one without a license', async () => {
    const map = new Mapper().resource('book', 'books')
    const servers = [{ url: 'https://books.example.org' }]
    const problems = await problemsOf(await documentOf(map, { books: BooksController }, { servers }))
    assert.match(problems.join('\n'), /Redocly info-license/)
  })
})
