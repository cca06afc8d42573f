import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Checked, check, routing } from './project.ts'
import { typedProject } from './typed-project.ts'

const IMPORTS = `import { type } from 'arktype'
import { intBetween } from 'propylon/converters'
import * as m from 'zod/mini'
import { z } from 'zod'
import { coerce } from 'zod'

const props = { version: 1, vendor: 'x' } as const
const page = z.coerce.number().int().min(1)
function one(value: unknown): unknown { return [value] }
const validate = (value: unknown) => ({ value: Number(value) })
const bare = { '~standard': { version: 1, vendor: 'x', validate } } as const
const jsonSchema = { input: () => ({ type: 'string' }), output: () => ({ type: 'number' }) }
const integer = { input: () => ({ type: 'integer' }), output: () => ({ type: 'integer' }) }
const documented = { '~standard': { version: 1, vendor: 'x', validate, jsonSchema: integer } } as const
const described = { '~standard': { version: 1, vendor: 'x', validate, jsonSchema } } as const
`

/** A converter, a type that its values have, and one that they do not have; without one all types are accepted. */
const SCHEMAS: readonly (readonly [schema: string, right: string, wrong?: string])[] = [
  // Zod
  ['z.string()', 'string', 'number'],
  ['z.coerce.number()', 'number', 'string'],
  ['coerce.number()', 'number', 'string'],
  ['z.coerce.number().int().positive().max(9)', 'number', 'boolean'],
  ['page', 'number', 'string'],
  ['page.optional()', 'number | undefined', 'string | undefined'],
  ['page.nullable()', 'number | null', 'number'],
  ['page.default(1)', 'number', 'string'],
  ['z.optional(z.string())', 'string | undefined', 'number | undefined'],
  ['z.string().transform(Number)', 'number'],
  ['z.string().transform((value) => value.length)', 'number'],
  ['z.string().pipe(z.coerce.date())', 'Date'],
  ['z.preprocess(Number, z.number())', 'number', 'string'],
  ["z.enum(['a', 'b'])", 'string', 'number'],
  ["z.literal('a')", 'string', 'number'],
  ["z.union([z.coerce.number(), z.literal('all')])", 'string | number', 'number'],
  ['z.preprocess(one, z.array(z.string()))', 'string[]', 'string'],
  ['z.preprocess(one, z.string().array())', 'string[]', 'number[]'],
  ['z.stringbool()', 'boolean', 'string'],
  ['z.iso.date()', 'string'],
  ['z.uuid().brand()', 'string', 'number'],
  ['z.coerce.bigint()', 'bigint'],
  ['z.any()', 'number'],
  ['m.optional(m.string())', 'string | undefined'],
  ['m.string().check(m.minLength(1))', 'string'],
  // ArkType
  ["type('string')", 'string', 'number'],
  ["type('string.numeric.parse')", 'number', 'string'],
  ["type('string.integer.parse').describe('a page')", 'number', 'string'],
  ["type('string.date.iso.parse')", 'Date'],
  ["type('string.numeric')", 'string', 'number'],
  ["type('string.numeric.parse').to('1 <= number < 100')", 'number', 'string'],
  ["type('string >= 3')", 'string', 'number'],
  ["type(\"'a' | 'b'\")", 'string', 'number'],
  ["type('string | undefined')", 'string | undefined'],
  ["type('string').pipe((text) => [text]).to('string[]')", 'string[]', 'string'],
  ["type('string').pipe(Number)", 'number'],
  ["type('string').to('string.numeric.parse')", 'number', 'string'],
  ["type('string.json.parse')", 'unknown', 'number'],
  // Written by hand
  ['described', 'number'],
  ['bare', 'Date'],
  ['documented', 'number'],
  // Of propylon
  ['intBetween(1, 9)', 'number', 'string'],
]

/** Converters that no text of a path or a query fits, and the type of their values. */
const TEXTLESS: readonly (readonly [schema: string, type: string])[] = [
  ['z.number()', 'number'],
  ['z.number().default(3)', 'number'],
  ['z.array(z.string())', 'string[]'],
  ["type('1 <= number < 100')", 'number'],
  ["type('string[]')", 'string[]'],
]

function controllerFile(name: string, schema: string, annotation: string): string {
  return `${IMPORTS}
import { BaseController } from '../lib/base.ts'
export class ${name}Controller extends BaseController {
  static args = { show: { id: ${schema} } }
  show(id: ${annotation}) { return String(id) }
}
`
}

describe('check knows the values of schemas', () => {
  let checked: Checked
  before(async () => {
    const files = SCHEMAS.flatMap(([schema, right, wrong], index) => [
      [`controllers/r${index}.ts`, controllerFile(`R${index}`, schema, right)],
      ...(wrong === undefined ? [] : [[`controllers/w${index}.ts`, controllerFile(`W${index}`, schema, wrong)]]),
    ])
    const textless = TEXTLESS.map(([schema, type], index) => [
      `controllers/t${index}.ts`,
      controllerFile(`T${index}`, schema, type),
    ])
    checked = await check(
      typedProject({
        'config/routing.ts': routing("connect('/{controller}/{id}', { action: 'show' })"),
        ...Object.fromEntries([...files, ...textless]),
      }),
    )
  })

  function codes(file: string): string[] {
    return checked.findings.filter((finding) => finding.file === file).map(({ code }) => code)
  }

  for (const [index, [schema]] of TEXTLESS.entries()) {
    it(`refuses ${schema} for a text`, () => assert.deepEqual(codes(`controllers/t${index}.ts`), ['args-no-text']))
  }

  for (const [index, [schema, right, wrong]] of SCHEMAS.entries()) {
    it(`accepts ${right} for ${schema}`, () => assert.deepEqual(codes(`controllers/r${index}.ts`), []))
    if (wrong === undefined) continue
    it(`refuses ${wrong} for ${schema}`, () => {
      assert.deepEqual(codes(`controllers/w${index}.ts`), ['argument-type'])
    })
  }
})
