/** Writes clients that `propylon client` generates for browsers, and a module that uses one. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { ROOT } from '../docs/blocks.ts'
import { write } from '../docs/layout.ts'
import { anySchema } from '../rpc/client/any-schema.ts'
import { documentOf, generate } from '../rpc/client/generated.ts'
import { hostile } from '../rpc/client/hostile.ts'

/** Strict settings of the compiler, with the types of a browser only. */
export const BROWSER = {
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2022', 'dom'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: false,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  isolatedModules: true,
  isolatedDeclarations: true,
  declaration: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
}

const USE = `
  import { ApiError, type Book, createClient } from './library.ts'
  export async function use(): Promise<unknown> {
    const api = createClient({ baseUrl: '/library', headers: async () => ({ authorization: 'x' }), fetch })
    const { items, page } = await api.books.index({ page: undefined }, { signal: AbortSignal.timeout(5) })
    const first: Book | undefined = items[0]
    const year: number | null = (await api.books.show({ id: 3 })).year
    const nothing: void = await api.books.delete({ id: 3 })
    const text: string = await api.books.text({ id: 'a' })
    const names: string[] = await api.admin.reports()
    const count: number = await api.admin.reports.index({})
    await api.books.cover({ id: 3, cover: { photo: new Blob([]), pages: [] } })
    // @ts-expect-error the id is a number
    await api.books.show({ id: '3' })
    // @ts-expect-error the id is required
    await api.books.show({})
    // @ts-expect-error there is no such argument
    await api.books.show({ id: 3, page: 1 })
    // @ts-expect-error there are no arguments
    await api.admin.reports.index({ page: 1 })
    // @ts-expect-error the title is required
    await api.books.create({ book: { year: 1815 } })
    // @ts-expect-error a file is a Blob
    await api.books.cover({ id: 3, cover: { photo: 'text' } })
    // @ts-expect-error there is no such action
    await api.books.nothing()
    // @ts-expect-error a client needs its URL
    createClient({})
    try {
      await api.books.show({ id: 3 })
    } catch (error) {
      if (error instanceof ApiError) return [error.status, error.problem?.errors?.[0]?.name, error.response.url]
    }
    return [page, first, year, nothing, text, names, count]
  }
`

/** Paths of broken documents. */
const BROKEN: readonly object[] = [
  { '/a': { get: { responses: 5 }, put: { responses: 5, parameters: 5, tags: 5, requestBody: 5 } } },
  {
    '/a': { get: { parameters: [5, {}, { name: 'x' }], tags: [5], operationId: 5, responses: { 200: 5 } } },
  },
  {
    '/{}{': {
      post: { requestBody: { content: { a: 5, 'text/plain': 5 } }, responses: { 200: { content: 5 } } },
    },
  },
]

/** Writes clients into a folder. */
export async function writeClients(folder: string): Promise<void> {
  const put = async (name: string, document: object) => {
    copyFileSync(generate(document), join(folder, name))
  }
  write(folder, 'use.ts', USE)
  copyFileSync(join(ROOT, 'test/rpc/client/library-client.ts'), join(folder, 'library.ts'))
  await put('hostile.ts', hostile())
  await put('any.ts', anyDocument())
  for (const [i, paths] of BROKEN.entries()) await put(`broken-${i}.ts`, documentOf(paths, { schemas: 5 }))
}

/** Returns a document with random schemas. */
function anyDocument(): object {
  const samples = fc.sample(anySchema, { numRuns: 300, seed: 5 })
  const paths = Object.fromEntries(
    samples.map((schema, i) => {
      const body = { content: { 'application/json': { schema } } }
      return [`/${i}`, { post: { tags: ['t'], requestBody: body, responses: { 200: body } } }]
    }),
  )
  return documentOf(paths, { schemas: Object.fromEntries(samples.map((schema, i) => [`s${i}`, schema])) })
}
