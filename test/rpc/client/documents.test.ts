/** Tests of what a client takes from its document: its name, its comments, and groups that are operations too. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { clientText } from '../../../src/tools/cli/client-file.ts'
import { documentOf, generate, load, partsOf } from './generated.ts'

const get = { responses: { 204: {} } }

describe('a generated client', () => {
  for (const [info, name] of [
    [{ title: ' Shop ', version: ' 2 ' }, 'Shop 2'],
    [{ title: 'Shop' }, 'Shop'],
    [{ version: '2' }, '2'],
    [undefined, 'the API'],
  ] as const) {
    it(`is one of ${name} for the document of ${JSON.stringify(info)}`, async () => {
      const text = readFileSync(generate({ openapi: '3.1.1', info, paths: { '/a': { get } } }), 'utf8')
      assert.ok(text.includes(`\n/** The operations of ${name}. */\nexport interface Client {\n`), text.slice(0, 200))
      assert.match(text, /[^\n]\n$/)
    })
  }

  for (const [what, texts, comment] of [
    [
      'the summary and the description',
      { summary: ' Lists. ', description: ' All of them. ' },
      ['Lists.', '', 'All of them.'],
    ],
    ['the description that begins with the summary', { summary: 'Lists', description: 'Lists all.' }, ['Lists all.']],
    [
      'the summary that ends the description',
      { summary: 'all.', description: 'Lists all.' },
      ['all.', '', 'Lists all.'],
    ],
    ['the summary alone', { summary: 'Lists.' }, ['Lists.']],
    ['deprecation alone', { deprecated: true }, ['@deprecated']],
    ['deprecation below', { summary: 'Lists.', deprecated: true }, ['Lists.', '', '@deprecated']],
    ['nothing', {}, []],
  ] as const) {
    it(`has in comments ${what}`, async () => {
      const { members } = partsOf(documentOf({ '/a': { get: { ...get, operationId: 'f', ...texts } } }))
      const lines = members.split('\n').map((line) => line.replace(/^ *\/?\*+(?: |\/$)?| \*\/$/g, ''))
      assert.deepEqual(
        lines
          .slice(
            0,
            lines.findIndex((line) => line.includes('f(')),
          )
          .join('\n')
          .trim(),
        comment.join('\n'),
      )
    })
  }

  it('has groups that are operations too', async () => {
    const document = documentOf({
      '/ping': { get: { ...get, operationId: 'ping' } },
      '/ping/all': { get: { ...get, operationId: 'all', tags: ['ping'] } },
    })
    const paths: string[] = []
    const { createClient } = await load(document)
    const { ping } = createClient({
      baseUrl: 'http://x.test',
      fetch: async (url) => {
        paths.push(new URL(url).pathname)
        return new Response(null, { status: 204 })
      },
    })
    assert.ok(ping && 'all' in ping && typeof ping.all === 'function')
    await ping()
    await ping.all()
    assert.deepEqual(paths, ['/ping', '/ping/all'])
  })

  it('has no names of the platform for types of the document', async () => {
    const names = ['Headers', 'Promise', 'Readonly', 'Record', 'RequestInit', 'URL', 'Blob', 'Response', 'Client']
    const schemas = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
    const { types } = partsOf(documentOf({ '/a': { get } }, { schemas }))
    assert.deepEqual(
      [...types.matchAll(/^export type (\w+) /gm)].map(([, name]) => name),
      names.map((name) => `${name}2`),
    )
  })

  it('is refused for a document without operations', () => {
    for (const document of [5, {}, { openapi: '3.1.1', paths: {} }]) {
      assert.throws(() => clientText(document, 'api.json'), /api\.json: The document has no operations\./)
    }
  })
})
