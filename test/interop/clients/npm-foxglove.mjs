import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'

const require = createRequire(new URL('../../packages/xmlrpc/', import.meta.url))
const { XmlRpcClient } = require('@foxglove/xmlrpc')
const url = process.argv[2]
const demo = new XmlRpcClient(`${url}/demo`)
const interop = new XmlRpcClient(`${url}/interop`)
const echo = (value) => interop.methodCall('test.echo', [value])

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

check('demo: system.listMethods', await demo.methodCall('system.listMethods'), [
  'system.listMethods',
  'system.methodHelp',
  'system.methodSignature',
  'test.battingOrder',
])
check(
  'demo: system.methodHelp',
  await demo.methodCall('system.methodHelp', ['test.battingOrder']),
  "The name of the US state at a place in the order of joining the union.\n\nMethod signature: [['string', 'int']]",
)
check('demo: system.methodSignature', await demo.methodCall('system.methodSignature', ['test.battingOrder']), [
  ['string', 'int'],
])
check('demo: a state', await demo.methodCall('test.battingOrder', [4]), 'Georgia')
check('demo: no state', await demo.methodCall('test.battingOrder', [51]), 'Out of cheese error.')
check('demo: a fault for a wrong type', (await faultOf(demo.methodCall('test.battingOrder', ['4'])))[0], -32602)
check('demo: a fault for an unknown method', (await faultOf(demo.methodCall('nope')))[0], -32601)
const text = 'a < b & c > d \'e\' "f" é中\u{1f600} \n\t'
check('string', await echo(text), text)
check('empty string', await echo(''), '')
check('int', await echo([-2147483648, 2147483647]), [-2147483648, 2147483647])
check('double', await echo([0.5, -12.214]), [0.5, -12.214])
check('boolean', await echo([true, false]), [true, false])
check('dateTime', await echo(new Date(1998, 6, 17, 14, 8, 55)), new Date(1998, 6, 17, 14, 8, 55))
const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
check('base64', Buffer.from(await echo(bytes)), bytes)
check('array', await echo([1, 'x', [], [true]]), [1, 'x', [], [true]])
check('struct', await echo({ a: 1, b: {} }), { a: 1, b: {} })
check('nested', await echo({ a: [{ b: [2.5, { c: [[[]]] }] }] }), { a: [{ b: [2.5, { c: [[[]]] }] }] })
check('add', await interop.methodCall('test.add', [2, 3]), 5)
check(
  'greet',
  [await interop.methodCall('test.greet', ['Joe']), await interop.methodCall('test.greet', ['Joe', 'Bye'])],
  ['Hello, Joe!', 'Bye, Joe!'],
)
const many = [7, true, 'x', 2.5, new Date(1998, 6, 17, 14, 8, 55), Buffer.from([0, 255])]
const answered = await interop.methodCall('validator1.manyTypesTest', many)
check('many types', [...answered.slice(0, 5), Buffer.from(answered[5])], many)
check('stooges', await interop.methodCall('validator1.easyStructTest', [{ moe: 1, larry: 2, curly: 3 }]), 6)
check('a fault of its own', await faultOf(interop.methodCall('test.fail', [42, 'as told'])), [42, 'as told'])
