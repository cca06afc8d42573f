import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'

const xmlrpc = createRequire(new URL('../../packages/xmlrpc/', import.meta.url))('xmlrpc')
const url = process.argv[2]
const demo = xmlrpc.createClient(`${url}/demo`)
const interop = xmlrpc.createClient(`${url}/interop`)

function call(client, method, ...params) {
  const { promise, resolve, reject } = Promise.withResolvers()
  client.methodCall(method, params, (error, value) => (error ? reject(error) : resolve(value)))
  return promise
}
const echo = (value) => call(interop, 'test.echo', value)

function check(name, got, want) {
  console.log(isDeepStrictEqual(got, want) ? `ok ${name}` : `not ok ${name}: ${JSON.stringify(got)}`)
}
async function faultOf(promise) {
  try {
    return await promise
  } catch (error) {
    return [error.faultCode, error.faultString]
  }
}

check('demo: system.listMethods', await call(demo, 'system.listMethods'), [
  'system.listMethods',
  'system.methodHelp',
  'system.methodSignature',
  'test.battingOrder',
])
check(
  'demo: system.methodHelp',
  await call(demo, 'system.methodHelp', 'test.battingOrder'),
  "The name of the US state at a place in the order of joining the union.\n\nMethod signature: [['string', 'int']]",
)
check('demo: system.methodSignature', await call(demo, 'system.methodSignature', 'test.battingOrder'), [
  ['string', 'int'],
])
check('demo: a state', await call(demo, 'test.battingOrder', 4), 'Georgia')
check('demo: no state', await call(demo, 'test.battingOrder', 51), 'Out of cheese error.')
check('demo: a fault for a wrong type', (await faultOf(call(demo, 'test.battingOrder', '4')))[0], -32602)
check('demo: a fault for an unknown method', (await faultOf(call(demo, 'nope')))[0], -32601)
const text = 'a < b & c > d \'e\' "f" é中\u{1f600} \n\t'
check('string', await echo(text), text)
check('empty string', await echo(''), '')
check('int', await echo([-2147483648, 2147483647]), [-2147483648, 2147483647])
check('double', await echo([0.5, -12.214]), [0.5, -12.214])
check('boolean', await echo([true, false]), [true, false])
check('dateTime', await echo(new Date(1998, 6, 17, 14, 8, 55)), new Date(1998, 6, 17, 14, 8, 55))
const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
check('base64', await echo(bytes), bytes)
check('array', await echo([1, 'x', [], [true]]), [1, 'x', [], [true]])
check('struct', await echo({ a: 1, b: {} }), { a: 1, b: {} })
check('nested', await echo({ a: [{ b: [2.5, { c: [[[]]] }] }] }), { a: [{ b: [2.5, { c: [[[]]] }] }] })
check('add', await call(interop, 'test.add', 2, 3), 5)
check(
  'greet',
  [await call(interop, 'test.greet', 'Joe'), await call(interop, 'test.greet', 'Joe', 'Bye')],
  ['Hello, Joe!', 'Bye, Joe!'],
)
const many = [7, true, 'x', 2.5, new Date(1998, 6, 17, 14, 8, 55), Buffer.from([0, 255])]
check('many types', await call(interop, 'validator1.manyTypesTest', ...many), many)
check('stooges', await call(interop, 'validator1.easyStructTest', { moe: 1, larry: 2, curly: 3 }), 6)
check('a fault of its own', await faultOf(call(interop, 'test.fail', 42, 'as told')), [42, 'as told'])
