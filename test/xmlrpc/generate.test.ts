import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { decodeCall, encodeResponse, Fault, generateTypes, introspect, XMLRPCClient } from 'propylon/xmlrpc'

const methods = [
  { name: 'system.listMethods', signatures: [['array']], help: 'Lists.' },
  { name: 'test.battingOrder', signatures: [['string', 'int']], help: 'The name\nof a state.' },
  {
    name: 'test.greet',
    signatures: [
      ['string', 'string'],
      ['string', 'string', 'string'],
    ],
    help: '',
  },
  { name: 'test', signatures: [['boolean']], help: 'Both a method and a namespace.' },
  {
    name: 'scale',
    signatures: [['double', 'double', 'base64', 'dateTime.iso8601', 'struct', 'i8']],
    help: '',
  },
  { name: 'any', signatures: null, help: '' },
  { name: 'odd type', signatures: [['undef', 'toString']], help: '' },
  { name: 'empty', signatures: [[]], help: '' },
]

const hostile = [
  { name: `quote'"\`\\\n\u2028}; evil(); //`, signatures: null, help: '*/ evil() /*' },
  { name: '__proto__.constructor', signatures: null, help: '*\\/ \u202e */\r\n*/\u2028 evil()\u2029' },
  { name: '..', signatures: null, help: '@example */ */' },
  { name: 'toString', signatures: null, help: '' },
  { name: 'a.then', signatures: null, help: '' },
  { name: 'call', signatures: null, help: '' },
  { name: 'constructor', signatures: null, help: '' },
  { name: 'über.größe', signatures: [["'; evil(); '", 'string']], help: '' },
]

describe('generateTypes', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(import.meta.dirname, 'generated-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('generates an interface', () => {
    assert.equal(
      generateTypes(methods.slice(0, 4), { name: 'Demo', source: 'http://x.test/' }),
      [
        '// The methods of http://x.test/, from its introspection.',
        "import type { Value } from 'propylon/xmlrpc'",
        '',
        'export interface Demo {',
        "  'system': {",
        '    /** Lists. */',
        "    'listMethods'(): Promise<Value[]>",
        '  }',
        '  /** Both a method and a namespace. */',
        "  'test': {",
        '    (): Promise<boolean>',
        '    /**',
        '     * The name',
        '     * of a state.',
        '     */',
        "    'battingOrder'(p1: number): Promise<string>",
        "    'greet'(p1: string): Promise<string>",
        "    'greet'(p1: string, p2: string): Promise<string>",
        '  }',
        '}',
        '',
      ].join('\n'),
    )
  })

  it('lists methods that are available through call() only', () => {
    assert.match(generateTypes(hostile), /\/\/ toString\n\/\/ a\.then\n\/\/ call\n\/\/ constructor\n$/)
  })

  it('refuses a name that is not an identifier', () => {
    for (const name of ['', '1a', 'a b', 'a{}', 'Value'])
      assert.throws(() => generateTypes([], { name }), TypeError)
  })

  it('generates types that compile and that check the calls of a client', async () => {
    const use = `
      import { XMLRPCClient, double, type DateTime } from 'propylon/xmlrpc'
      import type { Api } from './api.ts'
      import type { Hostile } from './hostile.ts'
      const client = new XMLRPCClient<Api>('http://x.test/')
      const other = new XMLRPCClient<Hostile>('http://x.test/')
      export async function use(date: DateTime) {
        const name: string = await client.test.battingOrder(4)
        const truth: boolean = await client.test()
        await client.test.greet('a')
        await client.test.greet('a', 'b')
        const n: number = await client.scale(double(2), new Uint8Array(), date, { a: 1 }, 5n)
        await client.any(1, 'a', [null])
        await client['odd type']({})
        // @ts-expect-error a plain 2 would go out as an int
        await client.scale(2, new Uint8Array(), date, {}, 5n)
        // @ts-expect-error the position is a number
        await client.test.battingOrder('4')
        // @ts-expect-error there is no signature with three parameters
        await client.test.greet('a', 'b', 'c')
        // @ts-expect-error there is no such method
        await client.test.nothing()
        await other.über.größe('a')
        return [name, truth, n]
      }`
    const source = join(import.meta.dirname, '../../src/xmlrpc/index.ts')
    const options = { module: source }
    await writeFile(join(folder, 'api.ts'), generateTypes(methods, options))
    await writeFile(join(folder, 'hostile.ts'), generateTypes(hostile, { ...options, name: 'Hostile' }))
    await writeFile(join(folder, 'use.ts'), use)
    const config = { extends: join(import.meta.dirname, '../../tsconfig.json'), include: ['*.ts'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc')
    await promisify(execFile)(tsc, ['--noEmit', '-p', folder])
  })
})

describe('introspect and generateTypes', () => {
  it('keep the names of all methods', () => {
    const part = fc
      .stringMatching(/^[a-z_][\w-]{0,8}$/)
      .filter((name) => !/^(then|toJSON|toString|valueOf)$/.test(name))
    const name = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => ['ns', ...parts].join('.'))
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 6 }), (names) => {
        const types = generateTypes(names.map((each) => ({ name: each, signatures: [['int']], help: '' })))
        assert.deepEqual(namesIn(types).sort(), [...names].sort())
      }),
    )
  })
})

/** Reads the names of the methods back from a generated interface. */
function namesIn(types: string): string[] {
  const names: string[] = []
  const path: string[] = []
  for (const line of types.split('\n').map((each) => each.trim())) {
    const key = /^'(.*)'/.exec(line)?.[1] ?? ''
    if (line.endsWith(': {')) path.push(key)
    else if (line === '}') path.pop()
    else if (line.includes('(): Promise')) names.push([...path, ...(key === '' ? [] : [key])].join('.'))
  }
  return names
}

describe('introspect', () => {
  it('fetches names, signatures and help, and accepts a fault instead of the latter two', async () => {
    const client = new XMLRPCClient('http://x.test/', {
      fetch: async (_url, init) => {
        const { methodName, params } = decodeCall(init.body as Uint8Array)
        if (methodName === 'system.listMethods') return new Response(encodeResponse(['a', 'b']))
        if (params[0] === 'b') return new Response(encodeResponse(new Fault(1, 'no')))
        return new Response(encodeResponse(methodName === 'system.methodHelp' ? 'Helps.' : [['int']]))
      },
    })
    assert.deepEqual(await introspect(client), [
      { name: 'a', signatures: [['int']], help: 'Helps.' },
      { name: 'b', signatures: null, help: '' },
    ])
  })
})
