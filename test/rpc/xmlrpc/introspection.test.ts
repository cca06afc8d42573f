import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type Call,
  decodeCall,
  type Encodable,
  encodeResponse,
  Fault,
  faultStruct,
  introspect,
  XMLRPCClient,
  type XMLRPCClientMethods,
  XMLRPCTransportError,
} from 'propylon/xmlrpc'

type Answer = (call: Pick<Call, 'methodName' | 'params'>) => Encodable | Fault | Response

/** Returns a client of a server with this function, and the names of the methods that it has called. */
function clientOf(answer: Answer): { client: XMLRPCClientMethods; called: string[] } {
  const called: string[] = []
  const client = new XMLRPCClient('http://x.test/', {
    fetch: async (_url, init) => {
      const call = decodeCall(init.body as Uint8Array)
      called.push(call.methodName)
      const result = answer(call)
      return result instanceof Response ? result : new Response(encodeResponse(result, { allowNil: true }))
    },
  })
  return { client, called }
}

/** Answers `system.multicall` by an other function. */
function withMulticall(answer: Answer): Answer {
  return (call) => {
    if (call.methodName !== 'system.multicall') return answer(call)
    const [calls] = call.params as [{ methodName: string; params: [] }[]]
    return calls.map((each) => {
      const result = answer(each)
      return result instanceof Fault ? faultStruct(result) : [result as Encodable]
    })
  }
}

const described: Answer = ({ methodName, params }) => {
  if (methodName === 'system.methodHelp') return `Helps ${params[0]}.`
  if (methodName === 'system.methodSignature') return [['int', 'string']]
  return new Fault(-32601, 'no such method')
}

describe('introspect', () => {
  it('fetches names, signatures and help, and accepts a fault instead of the latter two', async () => {
    const { client } = clientOf(({ methodName, params }) => {
      if (methodName === 'system.listMethods') return ['a', 'b']
      if (params[0] === 'b') return new Fault(1, 'no')
      return methodName === 'system.methodHelp' ? 'Helps.' : [['int']]
    })
    assert.deepEqual(await introspect(client), [
      { name: 'a', signatures: [['int']], help: 'Helps.' },
      { name: 'b', signatures: null, help: '' },
    ])
  })

  const failing: [what: string, response: () => Response, error: string][] = [
    ['is not XML', () => new Response('<html>'), 'XMLRPCProtocolError'],
    ['has a control character', () => new Response('<methodResponse>\x1b'), 'XMLRPCProtocolError'],
    ['has the HTTP status 500', () => new Response('', { status: 500 }), 'XMLRPCTransportError'],
  ]
  for (const [what, response, error] of failing) {
    it(`continues after a response that ${what}, and reports it`, async () => {
      const { client } = clientOf((call) => {
        if (call.methodName === 'system.listMethods') return ['a', 'b']
        return call.params[0] === 'a' && call.methodName === 'system.methodHelp'
          ? response()
          : described(call)
      })
      const failures: string[] = []
      const onFailure = (name: string, { name: type }: Error) => failures.push(`${name}: ${type}`)
      assert.deepEqual(await introspect(client, { onFailure }), [
        { name: 'a', signatures: [['int', 'string']], help: '' },
        { name: 'b', signatures: [['int', 'string']], help: 'Helps b.' },
      ])
      assert.deepEqual(failures, [`a: ${error}`])
    })
  }

  for (const others of [['a'], ['a', 'system.multicall']]) {
    it(`continues after a name that cannot be sent, of ${others.length + 1} names`, async () => {
      const { client } = clientOf(withMulticall(described))
      const failures = new Set<string>()
      const methods = await introspect(client, {
        methods: ['b\x1b[0m', ...others],
        onFailure: (name) => failures.add(name),
      })
      assert.deepEqual(methods.slice(0, 2), [
        { name: 'b\x1b[0m', signatures: null, help: '' },
        { name: 'a', signatures: [['int', 'string']], help: 'Helps a.' },
      ])
      assert.deepEqual([...failures], ['b\x1b[0m'])
    })
  }

  it('rejects if the connection fails', async () => {
    const client = new XMLRPCClient('http://x.test/', {
      fetch: async (_url, init) => {
        const { methodName } = decodeCall(init.body as Uint8Array)
        if (methodName !== 'system.listMethods') throw new TypeError('fetch failed')
        return new Response(encodeResponse(['a']))
      },
    })
    await assert.rejects(introspect(client), XMLRPCTransportError)
  })

  const odd: [what: string, signatures: Encodable, expected: string[][] | null][] = [
    ['text', 'undef', null],
    ['an empty array', [], null],
    ['an empty struct', {}, null],
    ['nil', null, null],
    ['a flat array', ['int', 'string'], [['int', 'string']]],
    ['a flat array with one type, which a batch may have unwrapped', 'array', [['array']]],
    ['an array with other values', [['int'], 5, [5]], [['int']]],
  ]
  for (const [what, signatures, expected] of odd) {
    it(`reads signatures that are ${what}`, async () => {
      const { client } = clientOf(({ methodName }) => (methodName === 'system.methodHelp' ? 5 : signatures))
      assert.deepEqual(await introspect(client, { methods: ['a'] }), [
        { name: 'a', signatures: expected, help: '' },
      ])
    })
  }

  it('describes no methods if the list is an empty struct', async () => {
    assert.deepEqual(await introspect(clientOf(() => ({})).client), [])
  })

  it('describes the methods that are passed, if the server does not list them', async () => {
    const { client, called } = clientOf(described)
    const methods = await introspect(client, { methods: ['a', 'b', 'a'] })
    assert.deepEqual(
      methods.map(({ help }) => help),
      ['Helps a.', 'Helps b.'],
    )
    assert.equal(called.includes('system.listMethods'), false)
  })

  it('describes only the methods whose names begin with a prefix', async () => {
    const { client } = clientOf((call) =>
      call.methodName === 'system.listMethods' ? ['a.x', 'b.x', 'a.y'] : described(call),
    )
    const methods = await introspect(client, { only: 'a.' })
    assert.deepEqual(
      methods.map(({ name }) => name),
      ['a.x', 'a.y'],
    )
  })

  const many = ['system.multicall', ...Array.from({ length: 120 }, (_, i) => `m${i}`)]
  const listing: Answer = (call) => (call.methodName === 'system.listMethods' ? many : described(call))

  it('describes 50 methods in a request if the server has system.multicall', async () => {
    const { client, called } = clientOf(withMulticall(listing))
    const methods = await introspect(client)
    assert.deepEqual(
      methods.map(({ name, help }) => [name, help]),
      many.map((name) => [name, `Helps ${name}.`]),
    )
    assert.deepEqual(called, ['system.listMethods', ...Array(3).fill('system.multicall')])
  })

  it('reads faults in a batch', async () => {
    const { client } = clientOf(
      withMulticall((call) => (call.params[0] === 'm7' ? new Fault(1, 'no') : listing(call))),
    )
    const methods = await introspect(client)
    assert.deepEqual(
      methods.find(({ name }) => name === 'm7'),
      { name: 'm7', signatures: null, help: '' },
    )
    assert.equal(methods.filter(({ help }) => help !== '').length, many.length - 1)
  })

  it('makes single calls if the server refuses system.multicall', async () => {
    const { client } = clientOf(listing)
    const methods = await introspect(client)
    assert.equal(methods.filter(({ help }) => help !== '').length, many.length)
  })

  it('makes single calls for a batch whose response cannot be read', async () => {
    const answer = withMulticall(listing)
    const { client, called } = clientOf((call) =>
      JSON.stringify(call.params).includes('"m7"') && call.methodName !== 'system.methodSignature'
        ? new Response('<methodResponse>\x1b')
        : answer(call),
    )
    const methods = await introspect(client)
    assert.equal(methods.filter(({ help }) => help !== '').length, many.length - 1)
    assert.deepEqual(methods.find(({ name }) => name === 'm7')?.signatures, [['int', 'string']])
    assert.equal(called.filter((name) => name === 'system.multicall').length, 3)
    assert.equal(called.length, 1 + 3 + 100)
  })

  for (const [what, answer] of [
    ['batches', withMulticall(listing)],
    ['single calls', listing],
  ] as const) {
    it(`reports its progress in ${what}`, async () => {
      const seen: number[] = []
      await introspect(clientOf(answer).client, {
        onProgress({ done, total }) {
          assert.equal(total, many.length)
          seen.push(done)
        },
      })
      assert.equal(seen.at(-1), many.length)
      assert.deepEqual(
        seen,
        seen.toSorted((a, b) => a - b),
      )
    })
  }
})
