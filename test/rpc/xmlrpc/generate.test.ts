import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { generateTypes, type MethodDescription } from 'propylon/xmlrpc'

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
  { name: 'list', signatures: [['array']], help: '' },
  { name: 'state', signatures: [['struct']], help: '' },
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
        "import type { ResultValue } from 'propylon/xmlrpc'",
        '',
        'export interface Demo {',
        '  system: {',
        '    /** Lists. */',
        '    listMethods(): Promise<ResultValue[]>',
        '  }',
        '  /** Both a method and a namespace. */',
        '  test: {',
        '    (): Promise<boolean>',
        '    /**',
        '     * The name',
        '     * of a state.',
        '     */',
        '    battingOrder(p1: number): Promise<string>',
        '    greet(p1: string): Promise<string>',
        '    greet(p1: string, p2: string): Promise<string>',
        '  }',
        '}',
        '',
      ].join('\n'),
    )
  })

  it('lists methods that are available through call() only', () => {
    assert.match(generateTypes(hostile), /\/\/ toString\n\/\/ a\.then\n\/\/ call\n\/\/ constructor\n$/)
  })

  it('lists a name of more than 50 parts as one for call()', () => {
    const reachable = Array.from({ length: 50 }, () => 'a').join('.')
    const generated = generateTypes(
      ['a'.concat('.b'.repeat(5000)), reachable].map((name) => ({ name, signatures: null, help: '' })),
    )
    assert.match(generated, /call\(\) only:\n\/\/ a\.b\.b\..*\n$/)
    assert.equal(generated.match(/\ba\b(?=[:(])/g)?.length, 50)
  })

  it('accepts a documentation of 200,000 lines', () => {
    const generated = generateTypes([{ name: 'a', signatures: null, help: 'x\n'.repeat(200_000) }])
    assert.equal(generated.match(/^ {3}\* x$/gm)?.length, 200_000)
  })

  it('refuses a name that is not an identifier', () => {
    for (const name of ['', '1a', 'a b', 'a{}', 'class', 'ResultValue'])
      assert.throws(() => generateTypes([], { name }), TypeError)
  })

  const documented: [what: string, method: Partial<MethodDescription>, call: string][] = [
    [
      'names of parameters, in the form of supervisor',
      {
        signatures: [['string', 'string', 'int']],
        help: '@param string name  The name\n@param int offset From here',
      },
      '(name: string, offset: number): Promise<string>',
    ],
    [
      'a flag at the end of a signature that was made of the documentation',
      { signatures: [['boolean', 'string', 'boolean']], help: '@param string name N\n@param boolean wait W' },
      '(name: string, wait?: boolean): Promise<boolean>',
    ],
    [
      'a flag at the end of a signature of its own, which is required',
      { signatures: [['boolean', 'string', 'boolean']], help: '@param name N\n@param wait W' },
      '(name: string, wait: boolean): Promise<boolean>',
    ],
    [
      'the form of phpDocumentor',
      { help: '@param string $id page\n@param bool $locked (optional)\n@return string' },
      '(id: string, locked?: boolean): Promise<string>',
    ],
    [
      'the form of JSDoc',
      { help: ' * @param {string} name\n * @param {number} [size=5] - its size\n * @returns {boolean}' },
      '(name: string, size?: number | Double): Promise<boolean>',
    ],
    [
      'the form of Sphinx',
      { help: ':param str name: the name\n:param size: defaults to 5\n:type size: int\n:rtype: list' },
      '(name: string, size?: number): Promise<ResultValue[]>',
    ],
    ['parameters without types', { help: '@param name - text' }, '(name: Encodable): Promise<ResultValue>'],
    [
      'alternatives',
      { help: '@param string|int $id\n@param mixed $other\n@return array|null' },
      '(id: string | number, other: Encodable): Promise<ResultValue>',
    ],
    ['unknown types', { help: '@param {Foo} foo\n@return Bar' }, '(foo: Encodable): Promise<ResultValue>'],
    ['a result alone', { help: '@return int' }, '(...params: Encodable[]): Promise<number>'],
    [
      'an optional parameter before a required one, which is required',
      { help: '@param int a optional\n@param int b' },
      '(a: number, b: number): Promise<ResultValue>',
    ],
    [
      'names that are no identifiers',
      {
        signatures: [['int', 'int', 'int', 'int', 'int']],
        help: '@param {int} class\n@param {int} 1\n@param {int} class',
      },
      '(class_: number, p2: number, class_2: number, p4: number): Promise<number>',
    ],
    [
      'signatures with the same parameters, whose results are a union',
      {
        signatures: [
          ['array', 'string'],
          ['string', 'string'],
        ],
      },
      '(p1: string): Promise<ResultValue[] | string>',
    ],
    [
      'fewer parameters than documented',
      { signatures: [['int', 'int']], help: '@param int a\n@param int b' },
      '(a: number): Promise<number>',
    ],
  ]
  for (const [what, method, call] of documented) {
    it(`reads ${what}`, () => {
      const types = generateTypes([{ name: 'm', signatures: null, help: '', ...method }])
      assert.equal(/^ {2}m(.*)$/m.exec(types)?.[1], call)
    })
  }

  it('generates types that compile and that check the calls of a client', async () => {
    const use = `
      import { DateTime, double, type Value, XMLRPCClient } from 'propylon/xmlrpc'
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
        const processes = await client.list()
        const first: unknown = processes[0]?.name
        const state = (await client.state()).state
        const text: string = typeof state === 'string' ? state : ''
        const day: number = state instanceof DateTime ? state.day : 0
        const result = await client.any()
        const deep: unknown = result?.a?.[0]?.b?.length
        for (const each of Array.isArray(result) ? result : []) if (each === 'x' || each === 5) await client.any(each)
        const value: Value = result
        await client.any(result, processes, await client.state())
        // @ts-expect-error the result may be nil
        result.name
        // @ts-expect-error a member of an unknown type is not text
        const wrong: string = processes[0]?.name
        // @ts-expect-error a member of an unknown type has no methods
        state.trim()
        // @ts-expect-error an unknown result is not a number
        result + 1
        // @ts-expect-error an unknown result is not an array
        for (const each of result) each
        // @ts-expect-error a plain 2 would go out as an int
        await client.scale(2, new Uint8Array(), date, {}, 5n)
        // @ts-expect-error the position is a number
        await client.test.battingOrder('4')
        // @ts-expect-error there is no signature with three parameters
        await client.test.greet('a', 'b', 'c')
        // @ts-expect-error there is no such method
        await client.test.nothing()
        await other.über.größe('a')
        return [name, truth, n, first, text, day, deep, value, wrong]
      }`
    const source = join(import.meta.dirname, '../../../src/rpc/xmlrpc/index.ts')
    const options = { module: source }
    await writeFile(join(folder, 'api.ts'), generateTypes(methods, options))
    await writeFile(join(folder, 'hostile.ts'), generateTypes(hostile, { ...options, name: 'Hostile' }))
    await writeFile(join(folder, 'use.ts'), use)
    const config = { extends: join(import.meta.dirname, '../../../tsconfig.json'), include: ['*.ts'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(import.meta.dirname, '../../../node_modules/.bin/tsc')
    await promisify(execFile)(tsc, ['--noEmit', '-p', folder])
  })
})

describe('generateTypes, for any names', () => {
  it('keeps the names of all methods', () => {
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
    const key = /^'?([\w-]*)'?(?=[:(])/.exec(line)?.[1] ?? ''
    if (line.endsWith(': {')) path.push(key)
    else if (line === '}') path.pop()
    else if (line.includes('(): Promise')) names.push([...path, ...(key === '' ? [] : [key])].join('.'))
  }
  return names
}
