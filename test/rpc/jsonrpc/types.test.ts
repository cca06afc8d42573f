import assert from 'node:assert/strict'
import { it } from 'node:test'
import { generateServiceTypes, JSONRPCClient } from 'propylon/rpc'
import { documentAt, options } from './stock-service.ts'

it('the types of a service are the same from its OpenRPC and its OpenAPI document', async () => {
  const [openrpc, openapi] = await Promise.all([documentAt('openrpc.json'), documentAt('openapi.json')])
  const [first, ...types] = generateServiceTypes(openrpc).split('\n')
  assert.match(first ?? '', /OpenRPC/)
  assert.deepEqual(generateServiceTypes(openapi).split('\n').slice(1), types)
  const discovered = await new JSONRPCClient('http://test/stock', options).call('rpc.discover')
  assert.equal(generateServiceTypes(discovered), [first, ...types].join('\n'))
})
