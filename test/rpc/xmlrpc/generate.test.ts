import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { generateTypes, type MethodDescription } from 'propylon/xmlrpc'
import { hostile, methods } from './methods.ts'

describe('generateTypes', () => {
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
        '  test: {',
        '    /** Both a method and a namespace. */',
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

  for (const [type, imported] of [
    ['base64', ['Binary']],
    ['dateTime.iso8601', ['DateTime']],
    ['double', ['Double']],
    ['array', ['Encodable', 'ResultValue']],
    ['struct', ['EncodableStruct', 'ResultStruct']],
    ['int', []],
  ] as const) {
    it(`imports the types of ${type}, and no others`, () => {
      const generated = generateTypes([{ name: 'm', signatures: [[type, type]], help: '' }])
      const [, names = ''] = /^import type \{ (.*) \} from 'propylon\/xmlrpc'$/m.exec(generated) ?? []
      assert.deepEqual(names === '' ? [] : names.split(', '), imported)
    })
  }

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
