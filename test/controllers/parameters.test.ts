import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { describe, it } from 'node:test'
import { type Node, parse } from 'acorn'
import fc from 'fast-check'
import { parametersOf, statedParameters, takesParametersOf } from '../../src/controllers/parameters.ts'
import { is, isFunctionNode, keyName, nodesIn } from '../../src/tools/sources/syntax.ts'

const root = new URL('../../', import.meta.url)

const format = 'shadowed by parameters below'

class Sample {
  static readonly #secret = 1
  none() {}
  one(id: string) {
    return id
  }
  async two(id: string, format = 'html') {
    return id + format
  }
  *generator(page = 1) {
    yield page
  }
  async *asyncGenerator(page: string) {
    yield page
  }
  rest(id: string, ...others: string[]) {
    return [id, ...others]
  }
  trickyDefaults(text = '(a, b) => {', list = [1, 2], call = String({ a: ')' })) {
    return [text, list, call]
  }
  commented(/* not, these */ id: string /* = 'x' */) {
    return id
  }
  // biome-ignore lint/complexity/useLiteralKeys: a computed name is the point
  ['computed'](id: string) {
    return id
  }
  importMeta(id: string) {
    return new URL(id, import.meta.url)
  }
  privates(id: string) {
    return Sample.#secret + id
  }
  destructured({ id, format: shape = 'html' }: { id?: string; format?: string }) {
    return [id, shape, format]
  }
  destructuredWithDefault({ id }: { id?: string } = {}) {
    return id
  }
  destructuredRest({ id, ...others }: Record<string, string>) {
    return [id, others]
  }
  destructuredQuoted({ 'content-type': type }: Record<string, string>) {
    return type
  }
  patternAmongSeveral(_id: string, { format }: { format?: string }) {
    return format
  }
  destructuredComputed({ [format]: value }: Record<string, string>) {
    return value
  }
  get(id: string) {
    return id
  }
  delete(id: string) {
    return id
  }
  new(format = 'html') {
    return format
  }
}

function shown(method: object): string {
  const parameters = parametersOf(method)
  const names = parameters.names.map(({ name, required }) => (required ? name : `${name}?`))
  if (parameters.kind === 'destructured') return `{${names.join(' ')}${parameters.rest ? ' …' : ''}}`
  return names.join(' ')
}

/** Returns the parameters of a function as {@link shown} does, or undefined for those without names. */
function expectedOf(parameters: readonly Node[]): string | undefined {
  const [first] = parameters
  const pattern = is(first, 'AssignmentPattern') ? first.left : first
  if (parameters.length === 1 && is(pattern, 'ObjectPattern')) {
    const names = pattern.properties.map((each) => {
      if (is(each, 'RestElement')) return '…'
      return keyName(each.key, each.computed) + (is(each.value, 'AssignmentPattern') ? '?' : '')
    })
    return `{${names.join(' ')}}`
  }
  const names = parameters
    .filter((each) => !is(each, 'RestElement'))
    .map((each) => {
      const target = is(each, 'AssignmentPattern') ? each.left : each
      return is(target, 'Identifier') ? target.name + (target === each ? '' : '?') : undefined
    })
  return names.includes(undefined) ? undefined : names.join(' ')
}

function outcomeOf(method: object): unknown {
  try {
    return parametersOf(method)
  } catch (error) {
    return String(error)
  }
}

const readable: [method: keyof Sample, expected: string][] = [
  ['none', ''],
  ['one', 'id'],
  ['two', 'id format?'],
  ['generator', 'page?'],
  ['asyncGenerator', 'page'],
  ['rest', 'id'],
  ['trickyDefaults', 'text? list? call?'],
  ['commented', 'id'],
  ['computed', 'id'],
  ['importMeta', 'id'],
  ['privates', 'id'],
  ['destructured', '{id format?}'],
  ['destructuredWithDefault', '{id}'],
  ['destructuredRest', '{id …}'],
  ['destructuredQuoted', '{content-type}'],
  ['get', 'id'],
  ['delete', 'id'],
  ['new', 'format?'],
]

describe('parametersOf', () => {
  for (const [method, expected] of readable) {
    it(`reads ${method}(${expected})`, () => {
      assert.equal(shown(Sample.prototype[method]), expected)
    })
  }

  const functions: [label: string, value: object, expected: string][] = [
    ['an arrow function', (id: string, page = 1) => [id, page], 'id page?'],
    ['an async arrow function', async (id: string) => id, 'id'],
    [
      'a function expression',
      function (this: void, id: string) {
        return id
      },
      'id',
    ],
    [
      'an async function',
      async function (this: void, id: string) {
        return id
      },
      'id',
    ],
    ['an arrow function with one bare name', new Function('return id => id')(), 'id'],
    ['an async arrow function with one bare name', new Function('return async id => id')(), 'id'],
    ['names with escapes', new Function('return (gr\\u00f6sse, \\u{61}b = 1) => ab')(), 'grösse ab?'],
    [
      'keys with escapes, and numbers',
      new Function("return ({ 'x\\x2dy': x, 'it\\'s': y, 0x10: z = 1 }) => [x, y, z]")(),
      "{x-y it's 16?}",
    ],
    ['divisions and regular expressions', (text = /[/(]\)'/, half = text.source.length / 2 / 1) => half, 'text? half?'],
    ['templates within templates', (text = `(${[1, 2].map((n) => `${n}, )`)}`, id = '') => text + id, 'text? id?'],
    [
      'functions and classes as defaults',
      (
        f = (a: number, b: number) => [a, b],
        C = class {
          a(b: number, c: number) {
            return [b, c]
          }
        },
      ) => [f, C],
      'f? C?',
    ],
  ]
  for (const [label, value, expected] of functions) {
    it(`reads ${label}`, () => {
      assert.equal(shown(value), expected)
    })
  }

  const name = fc.constantFrom('id', 'page', 'async', 'get', '_private', '$', 'of', 'x1')
  const head = fc.constantFrom('', 'async ', '*', 'async *', 'function ', 'function* ', 'async function ')
  const space = fc.constantFrom('', ' ', '\n  ')
  const body = fc.constantFrom('', 'return 1', 'return arguments[0]', "return '(a, b) {'", 'return (x) => { x }')
  it('reads a plain list as any other', () => {
    const names = fc.uniqueArray(name, { maxLength: 3 })
    fc.assert(
      fc.property(head, name, names, space, fc.boolean(), body, (prefix, own, all, gap, trails, code) => {
        const list = all.join(`,${gap}`) + (trails && all.length > 0 ? ',' : '')
        const make = (parameters: string): object => {
          const source = `${prefix}${own}(${parameters}) { ${code} }`
          return new Function(prefix.includes('function') ? `return (${source})` : `return ({ ${source} }).${own}`)()
        }
        assert.deepEqual(outcomeOf(make(gap + list + gap)), outcomeOf(make(`/* not plain */${list}`)))
      }),
    )
  })

  it('reads the functions of src/app as a parser does', () => {
    let count = 0
    for (const file of globSync('src/app/**/*.ts', { cwd: root })) {
      const code = stripTypeScriptTypes(readFileSync(new URL(file, root), 'utf8'))
      for (const node of nodesIn(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))) {
        const isMethod = is(node, 'MethodDefinition') || (is(node, 'Property') && node.method)
        const value = isMethod ? node.value : isFunctionNode(node) ? node : undefined
        const source = code.slice(node.start, node.end).replace(/^static\s+/, '')
        // The text of the function in a method has no name.
        if (!isFunctionNode(value) || source.startsWith('(') !== is(node, 'ArrowFunctionExpression')) continue
        const expected = expectedOf(value.params)
        if (expected === undefined) assert.throws(() => shown({ toString: () => source }), SyntaxError, source)
        else assert.equal(shown({ toString: () => source }), expected, source)
        count++
      }
    }
    assert.ok(count > 900, String(count))
  })

  it('refuses a native function', () => {
    assert.throws(() => parametersOf(Math.max), SyntaxError)
  })

  for (const method of ['patternAmongSeveral', 'destructuredComputed'] as const) {
    it(`refuses ${method}`, () => {
      assert.throws(() => parametersOf(Sample.prototype[method]), SyntaxError)
    })
  }

  it('refuses a bound function, whose source is hidden', () => {
    assert.throws(() => parametersOf(Sample.prototype.one.bind(null)), SyntaxError)
  })

  it('reads the method that a wrapper stands for', () => {
    const wrapper = (...args: unknown[]) => args
    takesParametersOf(wrapper, Sample.prototype.two)
    assert.equal(shown(wrapper), 'id format?')
  })

  it('reads through wrappers of wrappers', () => {
    const inner = (...args: unknown[]) => args
    const outer = (...args: unknown[]) => args
    takesParametersOf(inner, Sample.prototype.two)
    takesParametersOf(outer, inner)
    assert.equal(shown(outer), 'id format?')
  })
})

describe('statedParameters', () => {
  it('are positional and none is required', () => {
    assert.deepEqual(statedParameters(['id', 'format']), {
      kind: 'positional',
      names: [
        { name: 'id', required: false },
        { name: 'format', required: false },
      ],
    })
  })
})
