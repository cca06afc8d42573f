/** Clients that other projects generate from a document: they compile, and work with the application. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { serveBooks } from '../app/openapi/served-books.ts'
import { MODULES } from '../packages/packages.ts'

const run = promisify(execFile)

interface Generator {
  readonly name: string
  readonly command: readonly string[]
  /** Program that calls the API at the URL in its argument, and prints the results. */
  readonly program: string
}

const generators: readonly Generator[] = [
  {
    name: 'openapi-typescript with openapi-fetch',
    command: ['openapi-typescript', 'openapi.json', '-o', 'schema.ts'],
    program: `
      import createClient from 'openapi-fetch'
      import type { paths } from './schema.js'

      type JSONTypes = 'application/json' | 'application/problem+json'
      const api = createClient<paths, JSONTypes>({ baseUrl: process.argv[2], headers: { accept: 'application/json' } })
      const made = await api.POST('/books', { body: { title: 'Emma' } })
      const path = { id: made.data?.id ?? 0 }
      // @ts-expect-error a book has a title
      const refused = await api.POST('/books', { body: {} })
      const changed = await api.PUT('/books/{id}', { params: { path }, body: { title: 'Persuasion' } })
      const shown = await api.GET('/books/{id}', { params: { path } })
      const title: string | undefined = shown.data?.title
      const second = await api.GET('/books', { params: { query: { page: 2 } } })
      const removed = await api.DELETE('/books/{id}', { params: { path } })
      const missing = await api.GET('/books/{id}', { params: { path } })
      console.log(JSON.stringify([made.data, refused.error?.errors, changed.data, title, second.data,
        removed.response.status, missing.error?.status]))`,
  },
  {
    name: '@hey-api/openapi-ts',
    command: ['openapi-ts', '-i', 'openapi.json', '-o', 'sdk', '-p', '@hey-api/client-fetch'],
    program: `
      import { booksCreate, booksDelete, booksIndex, booksShow, booksUpdate } from './sdk/index.js'
      import { client } from './sdk/client.gen.js'

      client.setConfig({ baseUrl: process.argv[2], headers: { accept: 'application/json' } })
      const made = await booksCreate({ body: { title: 'Emma' } })
      const path = { id: made.data?.id ?? 0 }
      // @ts-expect-error a book has a title
      const refused = await booksCreate({ body: {} })
      const changed = await booksUpdate({ path, body: { title: 'Persuasion' } })
      const shown = await booksShow({ path })
      const title: string | undefined = shown.data?.title
      const second = await booksIndex({ query: { page: 2 } })
      const removed = await booksDelete({ path })
      const missing = await booksShow({ path })
      console.log(JSON.stringify([made.data, refused.error?.errors, changed.data, title, second.data,
        removed.response?.status, missing.error?.status]))`,
  },
]

describe('clients of other generators compile and work', () => {
  for (const { name, command, program } of generators) {
    it(name, async () => {
      await using books = await serveBooks()
      const directory = await mkdtemp(join(tmpdir(), 'openapi-client-'))
      try {
        await symlink(MODULES, join(directory, 'node_modules'))
        await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
        await writeFile(join(directory, 'openapi.json'), JSON.stringify(books.document))
        await writeFile(join(directory, 'program.ts'), program)
        const execute = ([file = '', ...args]: readonly string[]) =>
          run(process.execPath, [join(MODULES, '.bin', file), ...args], { cwd: directory })
        await execute(command)
        await execute(['tsc', ...'--strict --target esnext --module nodenext --outDir out program.ts'.split(' ')])
        const { stdout } = await run(process.execPath, ['out/program.js', books.url], { cwd: directory })
        assert.deepEqual(JSON.parse(stdout), [
          { id: 2, title: 'Emma' },
          [{ name: 'title', detail: 'Invalid key: Expected "title" but received undefined' }],
          { id: 2, title: 'Persuasion' },
          'Persuasion',
          [],
          204,
          404,
        ])
      } finally {
        await rm(directory, { recursive: true })
      }
    })
  }
})
