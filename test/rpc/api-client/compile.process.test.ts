import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { PACKAGE, temporaryFolder } from '../../tools/cli/command-line.ts'
import { anySchema } from '../service-types/any-schema.ts'
import { documentOf, generate, load } from './generated.ts'

/** The strict options of the compiler, with the types of a browser only. */
const OPTIONS = {
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
  noEmit: true,
}

/** Compiles modules, given by name as text or as the path of a file. */
async function compile(modules: Readonly<Record<string, string>>): Promise<void> {
  const folder = temporaryFolder()
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts'] }),
  )
  for (const [name, module] of Object.entries(modules)) {
    const file = join(folder, `${name}.ts`)
    if (module.includes('\n')) await writeFile(file, module)
    else await copyFile(module, file)
  }
  const tsc = join(PACKAGE, 'node_modules/.bin/tsc')
  await promisify(execFile)(tsc, ['-p', folder]).catch(({ stdout }) => assert.fail(String(stdout)))
}

const EVIL = `*/ evil() /* '"\`\\\u2028\n\u202e]); evil(); // @ts-expect-error`

/** A document of which every name and text is hostile. */
function hostile(): object {
  const schema = { $ref: `#/components/schemas/${encodeURIComponent(EVIL.replaceAll('/', '~1'))}` }
  const json = { content: { 'application/json': { schema } } }
  const operation = {
    operationId: EVIL,
    tags: [EVIL],
    summary: `${EVIL} \${evil()} }`,
    description: `${EVIL}\n@ts-ignore`,
    deprecated: true,
    parameters: ['path', 'query', 'header'].map((place) => ({
      name: EVIL,
      in: place,
      description: EVIL,
      schema: { enum: [EVIL] },
    })),
    'x-codegen-request-body-name': EVIL,
    requestBody: { content: { [EVIL]: {}, 'application/json; a=*/evil()': { schema } } },
    responses: { 200: json, [EVIL]: json, '2XX': { content: { '*/*': { schema } } } },
  }
  const schemas = {
    [EVIL]: {
      description: EVIL,
      required: [EVIL],
      properties: { [EVIL]: { description: EVIL, const: EVIL }, ['__proto__']: {}, constructor: {} },
    },
    ['__proto__']: { type: 'string' },
  }
  const document = {
    ...documentOf(
      {
        [`/${EVIL}/{${EVIL}}`]: { put: operation },
        '/constructor': { get: { tags: ['constructor'], operationId: 'constructor_name' } },
      },
      { schemas },
    ),
    info: { title: EVIL, version: EVIL },
  }
  return document
}

/** Returns the first operation of a client. */
function firstOf(group: object): ((args: object) => Promise<unknown>) | undefined {
  const [member] = Object.values(group)
  return typeof member === 'object' ? firstOf(member) : member
}

describe('generated clients', () => {
  it('compile, and check arguments and results', async () => {
    await compile({
      library: join(import.meta.dirname, 'library-client.ts'),
      hostile: await generate(hostile()),
      use: `
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
        }`,
    })
  })

  it('have no code of a hostile document', async () => {
    const path = await generate(hostile())
    const js = stripTypeScriptTypes(await readFile(path, 'utf8'))
    const code = js.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|'(?:[^'\\\n]|\\.)*'/gm, '')
    assert.doesNotMatch(code, /evil\(/)
    assert.doesNotMatch(js, /[\u2028\u202e]/)
  })

  it('send the names of a hostile document', async () => {
    let sent = ''
    const { createClient } = await load(hostile())
    const api = createClient({
      baseUrl: 'http://x.test/a',
      fetch: async (url, init) => {
        sent = `${url} ${init.body}`
        return Response.json(null)
      },
    })
    const call = firstOf(api)
    assert.ok(call)
    await assert.rejects(call({}), /missing or empty/)
    const names = [EVIL, `${EVIL}2`]
    assert.equal(await call({ [names[0] ?? '']: 'a/b', [names[1] ?? '']: 'c&d' }), null)
    assert.equal(sent, `http://x.test/a/${EVIL}/a%2Fb?${encodeURIComponent(EVIL)}=c%26d null`)
    assert.equal(Object.getPrototypeOf(api), Object.prototype)
  })

  it('compile for any schemas', async () => {
    const samples = fc.sample(anySchema, { numRuns: 300, seed: 5 })
    const paths = Object.fromEntries(
      samples.map((schema, i) => {
        const body = { content: { 'application/json': { schema } } }
        return [`/${i}`, { post: { tags: ['t'], requestBody: body, responses: { 200: body } } }]
      }),
    )
    const schemas = Object.fromEntries(samples.map((schema, i) => [`s${i}`, schema]))
    await compile({ any: await generate(documentOf(paths, { schemas })) })
  })

  for (const paths of [
    { '/a': { get: 5, put: { responses: 5, parameters: 5, tags: 5, requestBody: 5 } } },
    {
      '/a': { get: { parameters: [5, {}, { name: 'x' }], tags: [5], operationId: 5, responses: { 200: 5 } } },
    },
    {
      '/{}{': {
        post: { requestBody: { content: { a: 5, 'text/plain': 5 } }, responses: { 200: { content: 5 } } },
      },
    },
    { '/a': { $ref: '#/paths/~1b' }, '/b': { get: {} } },
  ]) {
    it(`compile for the broken document ${JSON.stringify(paths)}`, async () => {
      await compile({ broken: await generate(documentOf(paths, { schemas: 5 })) })
    })
  }

  it('are equal for equal documents', async () => {
    const [one, other] = await Promise.all(
      [1, 2].map(async () => readFile(await generate(hostile()), 'utf8')),
    )
    assert.equal(one, other)
  })
})
