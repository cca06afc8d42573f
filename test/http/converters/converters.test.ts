import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import fc from 'fast-check'
import {
  bool,
  type Converter,
  int,
  intBetween,
  isoDate,
  list,
  number,
  optional,
  slug,
  string,
  uuid,
} from 'propylon/converters'
import * as v from 'valibot'

/** Returns the value, or the messages of the issues. */
async function convert(schema: StandardSchemaV1, value: unknown): Promise<unknown> {
  const result = await schema['~standard'].validate(value)
  return result.issues === undefined ? result.value : result.issues.map(({ message }) => message)
}

const { MAX_SAFE_INTEGER, MIN_SAFE_INTEGER } = Number
const range = `must be an integer from ${MIN_SAFE_INTEGER} to ${MAX_SAFE_INTEGER}`
const later = v.pipeAsync(
  v.string(),
  v.checkAsync(async (text) => text !== 'taken', 'is taken'),
)

const accepted: [schema: StandardSchemaV1, text: unknown, value: unknown][] = [
  [string, '', ''],
  [string, ' a ', ' a '],
  [int, '0', 0],
  [int, '-0', 0],
  [int, '-12', -12],
  [int, String(MAX_SAFE_INTEGER), MAX_SAFE_INTEGER],
  [int, String(MIN_SAFE_INTEGER), MIN_SAFE_INTEGER],
  [number, '12', 12],
  [number, '1e-7', 1e-7],
  [number, '-1.5E+3', -1500],
  [number, '-0.50', -0.5],
  [number, '-0.0', 0],
  [number, '9007199254740993.5', 9007199254740994],
  [bool, 'true', true],
  [bool, 'false', false],
  [uuid, '0190163D-8694-739B-AEA5-966C26F8AD91', '0190163d-8694-739b-aea5-966c26f8ad91'],
  [uuid, '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'],
  [slug, 'tea-time-2', 'tea-time-2'],
  [isoDate, '2024-02-29', new Date('2024-02-29T00:00:00Z')],
  [isoDate, '0099-12-31', new Date('0099-12-31T00:00:00Z')],
  [optional(int), undefined, undefined],
  [optional(int), '', undefined],
  [optional(int, 1), '', 1],
  [optional(int, 1), '0', 0],
  [optional(string, 'a'), '', 'a'],
  [optional(list(int)), [''], undefined],
  [optional(list(int), []), undefined, []],
  [optional(list(int)), ['1', '2'], [1, 2]],
  [optional(v.pipe(v.string(), v.email())), '', undefined],
  [optional(later), 'free', 'free'],
  [list(int), '1,2', [1, 2]],
  [list(string), ['1', '2,3'], ['1', '2,3']],
  [list(string), '', ['']],
  [list(later), 'a,b', ['a', 'b']],
]

const refused: [schema: StandardSchemaV1, text: unknown, message: string][] = [
  ...[string, optional(string), list(string)].map((schema): [StandardSchemaV1, unknown, string] => [
    schema,
    'a\0',
    'must not contain the character NUL',
  ]),
  ...['', ' 1', '1 ', '01', '+1', '1.0', '1e3', '0x1', '--1', '-', '١', '1n', '1_000', '1\n', 'NaN', 'Infinity'].map(
    (text): [StandardSchemaV1, unknown, string] => [int, text, 'must be an integer'],
  ),
  [int, String(MAX_SAFE_INTEGER + 1), range],
  [int, '9'.repeat(400), range],
  [int, undefined, 'is missing'],
  [int, 1, 'must be text'],
  [int, ['1'], 'must be text'],
  ...['', '.5', '5.', '01.5', '1e', '1,5', '+1', 'Infinity', '-Infinity', 'NaN', '9'.repeat(400), '1.5\n'].map(
    (text): [StandardSchemaV1, unknown, string] => [number, text, 'must be a decimal number'],
  ),
  ...['', '1', '0', 'True', 'on', 'yes', 'true '].map((text): [StandardSchemaV1, unknown, string] => [
    bool,
    text,
    'must be true or false',
  ]),
  ...['', 'x', '{0190163d-8694-739b-aea5-966c26f8ad91}', '0190163d8694739baea5966c26f8ad91'].map(
    (text): [StandardSchemaV1, unknown, string] => [uuid, text, 'must be a UUID'],
  ),
  ...['', 'Tea', '-a', 'a-', 'a--b', 'a_b', 'ä', 'a b', 'a\n'].map((text): [StandardSchemaV1, unknown, string] => [
    slug,
    text,
    'must be lower-case letters, digits and single hyphens',
  ]),
  ...[
    '',
    '2023-02-29',
    '2023-02-30',
    '2023-13-01',
    '2023-00-10',
    '2023-1-1',
    '20230101',
    '2023-01-01T00:00',
    '+002023-01-01',
  ].map((text): [StandardSchemaV1, unknown, string] => [isoDate, text, 'must be a date, YYYY-MM-DD']),
  [optional(int, 1), 'x', 'must be an integer'],
  [list(int), '', 'must be an integer'],
  [list(int), '1,x,y', 'item 2 must be an integer'],
  [list(int), ['1', ''], 'item 2 must be an integer'],
  [list(int), undefined, 'is missing'],
  [list(int), [], 'must be text'],
  [list(int), [1], 'must be text'],
  [list(later), 'a,taken', 'item 2 is taken'],
]

const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 60) ?? 'undefined'
const nameOf = (schema: StandardSchemaV1) => (schema as Partial<Converter>).name ?? 'valibot'

describe('converters', () => {
  for (const [schema, text, value] of accepted) {
    it(`${nameOf(schema)} accepts ${shown(text)}`, async () => {
      const converted = await convert(schema, text)
      assert.deepEqual(converted, value)
      assert.equal(Object.is(converted, -0), false)
    })
  }

  for (const [schema, text, message] of refused) {
    it(`${nameOf(schema)} refuses ${shown(text)}`, async () => {
      assert.deepEqual(await convert(schema, text), [message])
    })
  }

  it('returns the path of a refused item', async () => {
    const result = await list(int)['~standard'].validate('1,x')
    assert.deepEqual(result.issues?.[0]?.path, [1])
  })

  it('answers without a promise unless a schema does', () => {
    for (const schema of [int, optional(int), list(int)]) {
      assert.equal(schema['~standard'].validate('1') instanceof Promise, false)
    }
    assert.equal(list(later)['~standard'].validate('1') instanceof Promise, true)
  })

  const inverses: [converter: Converter, values: fc.Arbitrary<unknown>, text: (value: unknown) => string][] = [
    [int, fc.maxSafeInteger(), String],
    [bool, fc.boolean(), String],
    [uuid, fc.uuid(), String],
    [string, fc.string(), String],
    [
      number,
      fc.double({ min: -1e15, max: 1e15, noNaN: true }).map((value) => Number(value.toFixed(5)) || 0),
      (value) => (value as number).toFixed(5),
    ],
    [
      isoDate,
      fc
        .date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
        .map((date) => new Date(date.toISOString().slice(0, 10))),
      (value) => (value as Date).toISOString().slice(0, 10),
    ],
  ]
  for (const [converter, values, text] of inverses) {
    it(`${converter.name} converts back what was written as text`, async () => {
      await fc.assert(
        fc.asyncProperty(values, async (value) => assert.deepEqual(await convert(converter, text(value)), value)),
      )
    })
  }
})

describe('the description of converters', () => {
  const target = { target: 'draft-2020-12' } as const

  const described: [schema: Converter<unknown, unknown>, name: string, output: object][] = [
    [string, 'string', { type: 'string' }],
    [int, 'int', { type: 'integer', minimum: MIN_SAFE_INTEGER, maximum: MAX_SAFE_INTEGER }],
    [number, 'number', { type: 'number' }],
    [bool, 'bool', { type: 'boolean' }],
    [uuid, 'uuid', { type: 'string', format: 'uuid' }],
    [slug, 'slug', { type: 'string', pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' }],
    [isoDate, 'isoDate', { type: 'string', format: 'date' }],
    [optional(bool, true), 'optional(bool, true)', { type: 'boolean', default: true }],
    [optional(string), 'optional(string)', { type: 'string' }],
    [optional(isoDate, new Date(0)), 'optional(isoDate, an instance of Date)', { type: 'string', format: 'date' }],
    [list(number), 'list(number)', { type: 'array', items: { type: 'number' } }],
    [optional(v.string()), 'optional(valibot)', { type: 'string' }],
  ]
  for (const [converter, name, output] of described) {
    it(`names ${name} and has its JSON Schema`, () => {
      assert.equal(converter.name, name)
      assert.deepEqual(converter['~standard'].jsonSchema.output(target), output)
      assert.equal(converter['~standard'].jsonSchema.input(target).type, 'string')
    })
  }

  it('returns a new JSON Schema each time', () => {
    int['~standard'].jsonSchema.output(target).type = 'changed'
    assert.equal(int['~standard'].jsonSchema.output(target).type, 'integer')
  })

  it('has patterns that agree with the converter', async () => {
    for (const converter of [int, number, uuid, slug]) {
      const { pattern } = converter['~standard'].jsonSchema.input(target)
      const regex = new RegExp(String(pattern))
      for (const [schema, text] of accepted) if (schema === converter) assert.match(String(text), regex)
      for (const [schema, text] of refused) {
        const isLarge = typeof text === 'string' && text.length > 15
        if (schema === converter && typeof text === 'string' && !isLarge) assert.doesNotMatch(text, regex)
      }
    }
  })
})

describe('the types of converters', () => {
  it('have the type of the value', () => {
    type Output<S extends StandardSchemaV1> = StandardSchemaV1.InferOutput<S>
    const page = optional(int, 1)
    const q = optional(string)
    const ids = list(uuid)
    const checks: [Output<typeof int>, Output<typeof page>, Output<typeof q>, Output<typeof ids>] = [
      1,
      1,
      undefined,
      ['a'],
    ]
    // @ts-expect-error a default was given
    const missing: Output<typeof page> = undefined
    // @ts-expect-error the default has another type
    optional(int, '1')
    // @ts-expect-error not a schema
    assert.throws(() => list({}), TypeError)
    assert.equal(checks.length, 4)
    assert.equal(missing, undefined)
  })
})

describe('intBetween()', () => {
  for (const [min, max, text, wanted] of [
    [1, undefined, '1', 1],
    [1, undefined, '9007199254740991', 9007199254740991],
    [1, undefined, '0', 'must be an integer of 1 or more'],
    [1, undefined, '9007199254740992', 'must be an integer of 1 or more'],
    [-2, 2, '-2', -2],
    [-2, 2, '-0', 0],
    [-2, 2, '3', 'must be an integer from -2 to 2'],
    [-2, 2, '1.0', 'must be an integer from -2 to 2'],
    [-2, 2, '', 'must be an integer from -2 to 2'],
  ] as const) {
    it(`converts ${JSON.stringify(text)} within ${min} and ${max} to ${wanted}`, async () => {
      const result = await intBetween(min, max)['~standard'].validate(text)
      assert.equal(result.issues === undefined ? result.value : result.issues[0]?.message, wanted)
    })
  }
})
