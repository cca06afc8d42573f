import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Binary, DateTime, Double, double, type Encodable } from 'propylon/xmlrpc'
import { DemoController } from '../../../../examples/users/controllers/demo.ts'
import { InteropController } from '../../../../examples/users/controllers/interop.ts'
import { TestService } from './service.ts'

const interop = new TestService(InteropController)
const demo = new TestService(DemoController)

const small = fc.integer({ min: -1_000_000, max: 1_000_000 })
const text = fc.string({ unit: 'binary' }).map((value) => value.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, ' '))
const stooges = fc
  .tuple(
    fc.record({ moe: small, larry: small, curly: small }),
    fc.dictionary(
      text.map((name) => `x${name}`),
      text,
    ),
  )
  .map(([three, others]) => ({ ...others, ...three }))

async function holds<T>(arbitrary: fc.Arbitrary<T>, check: (value: T) => Promise<void>): Promise<void> {
  await fc.assert(fc.asyncProperty(arbitrary, check), { numRuns: 50 })
}

/** Decoded structs have no prototype, which does not matter here. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

describe('validator1', () => {
  it('arrayOfStructsTest sums all curlies', () =>
    holds(fc.array(stooges, { maxLength: 20 }), async (structs) => {
      const sum = structs.reduce((total, { curly }) => total + curly, 0)
      assert.equal(await interop.call('validator1.arrayOfStructsTest', structs), sum)
    }))

  it('countTheEntities counts five characters', () =>
    holds(
      fc.string({ unit: fc.constantFrom('<', '>', '&', "'", '"', 'a', ' ', 'é'), maxLength: 200 }),
      async (each) => {
        const count = (character: string) => [...each].filter((one) => one === character).length
        assert.deepEqual(plain(await interop.call('validator1.countTheEntities', each)), {
          ctLeftAngleBrackets: count('<'),
          ctRightAngleBrackets: count('>'),
          ctAmpersands: count('&'),
          ctApostrophes: count("'"),
          ctQuotes: count('"'),
        })
      },
    ))

  it('easyStructTest sums three members', () =>
    holds(stooges, async (struct) => {
      const { moe, larry, curly } = struct
      assert.equal(await interop.call('validator1.easyStructTest', struct), moe + larry + curly)
    }))

  it('echoStructTest sends a struct back', () =>
    holds(fc.dictionary(text, fc.oneof(small, text, fc.boolean(), stooges)), async (struct) => {
      assert.deepEqual(plain(await interop.call('validator1.echoStructTest', struct)), plain(struct))
    }))

  it('manyTypesTest sends its six arguments back, each with its type', () =>
    holds(
      fc.tuple(small, fc.boolean(), text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.uint8Array()),
      async ([number, boolean, string, decimal, bytes]) => {
        const params: Encodable[] = [
          number,
          boolean,
          string,
          double(decimal),
          new DateTime('19980717T14:08:55'),
          new Binary(bytes),
        ]
        assert.deepEqual(await interop.call('validator1.manyTypesTest', ...params), params)
      },
    ))

  it('moderateSizeArrayCheck puts the first and the last together', () =>
    holds(fc.array(text, { minLength: 100, maxLength: 200 }), async (strings) => {
      assert.equal(await interop.call('validator1.moderateSizeArrayCheck', strings), `${strings[0]}${strings.at(-1)}`)
    }))

  it('nestedStructTest sums the stooges of April 1, 2000', () =>
    holds(stooges, async (day) => {
      const calendar = { '1999': {}, '2000': { '03': { '01': {} }, '04': { '01': day, '02': {} } } }
      assert.equal(await interop.call('validator1.nestedStructTest', calendar), day.moe + day.larry + day.curly)
    }))

  it('simpleStructReturnTest returns three products', () =>
    holds(small, async (number) => {
      assert.deepEqual(plain(await interop.call('validator1.simpleStructReturnTest', number)), {
        times10: number * 10,
        times100: number * 100,
        times1000: number * 1000,
      })
    }))

  const odd: [string, Encodable][] = [
    ['validator1.arrayOfStructsTest', [{ moe: 1 }]],
    ['validator1.arrayOfStructsTest', ['x']],
    ['validator1.easyStructTest', { moe: 1, larry: 2 }],
    ['validator1.easyStructTest', { moe: 1, larry: 2, curly: 'x' }],
    ['validator1.easyStructTest', { moe: 2 ** 31 - 1, larry: 1, curly: 0 }],
    ['validator1.moderateSizeArrayCheck', []],
    ['validator1.nestedStructTest', {}],
    ['validator1.nestedStructTest', { '2000': { '04': [] } }],
  ]
  for (const [name, param] of odd) {
    it(`${name} returns its own fault for ${JSON.stringify(param)}`, async () => {
      const { faultCode } = await interop.fault(name, param)
      assert.ok(faultCode > 0)
    })
  }
})

describe('test.*', () => {
  it('battingOrder returns the states in the order of joining the union', async () => {
    for (const service of [demo, interop]) {
      assert.equal(await service.call('test.battingOrder', 1), 'Delaware')
      assert.equal(await service.call('test.battingOrder', 10), 'Virginia')
      assert.equal(await service.call('test.battingOrder', 50), 'Hawaii')
      for (const posn of [0, 51, -1, 2_147_483_647, -2_147_483_648]) {
        assert.equal(await service.call('test.battingOrder', posn), 'Out of cheese error.')
      }
    }
  })

  it('is the only method on /demo', async () => {
    assert.deepEqual(await demo.call('system.listMethods'), [
      'system.listMethods',
      'system.methodHelp',
      'system.methodSignature',
      'test.battingOrder',
    ])
    assert.equal(
      await demo.call('system.methodHelp', 'test.battingOrder'),
      "The name of the US state at a place in the order of joining the union.\n\nMethod signature: [['string', 'int']]",
    )
  })

  it('echo keeps every type', async () => {
    const value = [
      double(2),
      2,
      2n ** 40n,
      null,
      true,
      'x',
      new DateTime('1998-07-17T14:08:55Z'),
      new Binary(new Uint8Array(3)),
      { a: double(-0) },
    ]
    const echoed = (await interop.call('test.echo', value)) as unknown[]
    assert.deepEqual(echoed.slice(0, -1), value.slice(0, -1))
    assert.deepEqual((echoed.at(-1) as { a: Double }).a, new Double(-0))
  })

  it('add adds, and refuses what no int can hold', async () => {
    assert.equal(await interop.call('test.add', 2, 3), 5)
    assert.ok((await interop.fault('test.add', 2_147_483_647, 1)).faultCode > 0)
  })

  it('greet has a signature for each set of parameters', async () => {
    assert.equal(await interop.call('test.greet', 'Joe'), 'Hello, Joe!')
    assert.equal(await interop.call('test.greet', 'Joe', 'Bye'), 'Bye, Joe!')
    assert.deepEqual(await interop.call('system.methodSignature', 'test.greet'), [
      ['string', 'string'],
      ['string', 'string', 'string'],
    ])
  })

  it('fail returns the given fault', async () => {
    const { faultCode, faultString } = await interop.fault('test.fail', 42, 'as told')
    assert.deepEqual([faultCode, faultString], [42, 'as told'])
  })

  it('echo has no signature', async () => {
    assert.equal(await interop.call('system.methodSignature', 'test.echo'), 'undef')
  })
})
