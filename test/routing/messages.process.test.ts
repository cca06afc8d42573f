import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { compile } from './compile.ts'

const HEAD = `import { type ConnectOptions, Mapper } from 'propylon/routing'
const map = new Mapper()
  .connect('home', '/')
  .connect('post', '/posts/{id}')
  .connect('paged', '/pages/{page}', { page: 1 })
  .resource('user', 'users', { pathPrefix: '/{team}' })
declare const options: ConnectOptions
void [map, options]
`

/** Each line of the program, with the message that the compiler prints for it. */
const wrong: Record<string, [line: string, message: RegExp][]> = {
  'url()': [
    ["map.url('psot')", /'"psot"' is not assignable to parameter of type '"edit_user" \| .*"post"/],
    ["map.url('psot', { id: 1 })", /'"psot"' is not assignable to parameter of type/],
    ["map.url('post')", /'"post"' is not assignable to type 'MissingValues<"id">'|MissingValues<"id">/],
    ["map.url('user')", /MissingValues<"id" \| "team">|MissingValues<"team" \| "id">/],
    ["map.url('post', {})", /Property 'id' is missing in type '\{\}'/],
    ["map.url('post', { idd: 1 })", /'idd' does not exist in type 'PathValues<"id", never>'/],
    ["map.url('post', { id: 1, page: 2 })", /'page' does not exist in type 'PathValues<"id", never>'/],
    ["map.url('home', { page: 2 })", /'page' does not exist in type/],
    ["map.url('paged', { pag: 2 })", /'pag' does not exist in .* Did you mean to write 'page'\?/],
    ["map.url('post', { id: null })", /'null' is not assignable to type 'ParameterValue'/],
    ["map.url('post', { id: ['a'] })", /'string\[\]' is not assignable to type 'ParameterValue'/],
    ["map.url('post', { id: 1 }, { qery: {} })", /Did you mean to write 'query'\?/],
    ["map.url('post', { id: 1 }, { query: { a: {} } })", /'\{\}' is not assignable to type 'QueryValue'/],
    ["map.url('formatted_user', { team: 1, id: 1 })", /Property 'format' is missing/],
  ],
  'connect()': [
    ["new Mapper().connect('a', '/a', { condtions: { method: 'GET' } })", /NotAnOption<"condtions">/],
    ["new Mapper().connect('/a', { condtions: { method: 'GET' } })", /NotAnOption<"condtions">/],
    ["new Mapper().connect(null, '/a', { condtions: {} })", /NotAnOption<"condtions">/],
    ["new Mapper().connect('a', '/a', { requirments: { id: 'x' } })", /NotAnOption<"requirments">/],
    ["new Mapper().connect('a', '/a', { conditions: { methd: 'GET' } })", /'methd' does not exist/],
    [
      "new Mapper().connect('a', '/a', { conditions: { methd: 'GET', subDomain: true } })",
      /NotAnOption<"methd">/,
    ],
    ["new Mapper().connect('a', '/a', { controller: 5 })", /'number' is not assignable to type 'string'/],
  ],
  'resource() and submapper()': [
    [
      "new Mapper().resource('a', 'as', { pathPrefx: '/x' })",
      /'pathPrefx' does not exist in type 'ResourceOptions'/,
    ],
    ["new Mapper().resource('a', 'as', { pathPrefx: '/x', only: ['index'] })", /NotAnOption<"pathPrefx">/],
    ["new Mapper().resource('a', 'as', { only: ['indx'] })", /Did you mean '"index"'\?/],
    ["new Mapper().resource('a', 'as', { page: 1 })", /'page' does not exist in type 'ResourceOptions'/],
    ['new Mapper().submapper({ pathPrefx: {} })', /NotAnOption<"pathPrefx">/],
  ],
}

describe('the compiler refuses', () => {
  const lines = Object.values(wrong).flat()
  const messages = new Map<string, string>()
  before(async () => {
    const output = await compile(HEAD + lines.map(([line]) => `${line}\n`).join(''))
    const first = HEAD.split('\n').length
    for (const [, number, message = ''] of output.matchAll(
      /^.*?program\.ts\((\d+),\d+\): (.*(?:\n .*)*)/gm,
    )) {
      const line = lines[Number(number) - first]?.[0] ?? ''
      messages.set(line, (messages.get(line) ?? '') + message)
    }
  })
  for (const [title, table] of Object.entries(wrong)) {
    describe(title, () => {
      for (const [line, message] of table) {
        test(line, () => {
          assert.match(messages.get(line) ?? 'no error', message)
          assert.doesNotMatch(messages.get(line) ?? '', /RawUrl|excessively deep/)
        })
      }
    })
  }
})

test('the compiler accepts right programs', async () => {
  const program = `${HEAD}
const defaults = { controller: 'x', action: 'y', lang: 'en', page: 1, draft: false, format: null } as const
new Mapper()
  .connect('a', '/a', defaults)
  .connect('/b', { controller: 'x', format: 'html', filters: 'all', faction: 'y', action: 'z' })
  .connect('/c/{actio}', { actio: 'x', controller: 'x' })
  .connect('/c', options)
  .connect('c', '/c', options)
  .connect('d', '/d', { conditions: { method: ['GET', 'PUT'], function: (context, match) => match.x === context.host } })
  .connect(null, '/e', { static: true, formats: ['rss'], requirements: { format: /x/ } })
  .resource('user', 'users', { controller: 'x', only: ['index'], conditions: { method: 'GET' } })
  .submapper({ pathPrefix: '/x', controller: 'x', lang: 'en' }, (x) => x.connect('y', '/y', { page: 1 }))
map.url('post', { id: 1, anchor: 'x', qualified: true, host: 'example.com' }, { query: { a: [1, null], b: undefined } })
map.url('paged', { page: 2 }) + map.url('paged') + map.url('home', {}, { query: { page: 1 } })
map.url('user', { team: 'a', id: 1n }) + map.url('/raw', { q: 1 }) + map.url({ controller: 'x', id: 1 })
const filtered = new Mapper()
  .connect('shown', '/{id}', { filter: (values) => values })
  .resource('user', 'users', { filter: (values) => values })
filtered.url('shown', { user: 1 }) + filtered.url('user', { user: 1 }) + filtered.url('shown')
for (const path of ['/a', '/b']) new Mapper().connect(path, { controller: 'x' }).connect(path, path).url(path, { any: 1 })
`
  assert.equal(await compile(program), '')
})

test('a chain of a thousand routes and resources compiles', async () => {
  const numbers = Array.from({ length: 500 }, (_, index) => index)
  const program = `import { Mapper } from 'propylon/routing'
const map = new Mapper()
${numbers.map((n) => `  .connect('route${n}', '/s${n}/{id:\\\\d{1,9}}{.format}', { controller: 'x', action: 'y' })`).join('\n')}
${numbers.map((n) => `  .resource('item${n}', 'items${n}', { member: { mark: 'POST' } })`).join('\n')}
map.url('route0', { id: 1 }) + map.url('mark_item499', { id: 1 })
// @ts-expect-error the id is missing
map.url('edit_item0')
`
  assert.equal(await compile(program), '')
})
