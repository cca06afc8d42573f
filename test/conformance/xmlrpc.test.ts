/**
 * Userland's XML-RPC validator, which calls the eight methods `validator1.…` of a server. The cases follow its documentation.
 * The clients of other languages in `test/interop/` call the same methods.
 */
import { describe } from 'node:test'
import { FrameworkApp, Mapper } from 'propylon'
import { InteropController } from '../../examples/users/controllers/interop.ts'
import { agrees } from './cases.ts'

const int = (value: number) => `<value><int>${value}</int></value>`
const string = (value: string) => `<value><string>${value}</string></value>`
const array = (...values: readonly string[]) => `<value><array><data>${values.join('')}</data></array></value>`
const struct = (members: Readonly<Record<string, string>>) =>
  `<value><struct>${Object.entries(members)
    .map(([name, value]) => `<member><name>${name}</name>${value}</member>`)
    .join('')}</struct></value>`
const stooges = (moe: number, larry: number, curly: number) =>
  struct({ moe: int(moe), larry: int(larry), curly: int(curly) })

const MANY = [
  int(4711),
  '<value><boolean>1</boolean></value>',
  string('Joe'),
  '<value><double>-12.214</double></value>',
  '<value><dateTime.iso8601>19980717T14:08:55</dateTime.iso8601></value>',
  '<value><base64>eW91IGNhbid0IHJlYWQgdGhpcyE=</base64></value>',
]
const NESTED = struct({ colors: array(string('red'), string('blue')), stooge: stooges(1, 2, 3) })
const STATES = Array.from({ length: 150 }, (_, index) => string(`State ${index}`))

const ROWS: readonly (readonly [method: string, params: readonly string[], value: string])[] = [
  ['arrayOfStructsTest', [array(stooges(1, 2, 3), stooges(4, 5, -6), stooges(7, 8, 9))], int(6)],
  [
    'countTheEntities',
    [string(`&lt;&lt;&gt; &amp;&amp;&amp; ' "" &lt; text`)],
    struct({
      ctLeftAngleBrackets: int(3),
      ctRightAngleBrackets: int(1),
      ctAmpersands: int(3),
      ctApostrophes: int(1),
      ctQuotes: int(2),
    }),
  ],
  ['easyStructTest', [stooges(5, -7, 10)], int(8)],
  ['echoStructTest', [NESTED], NESTED],
  ['manyTypesTest', MANY, array(...MANY)],
  ['moderateSizeArrayCheck', [array(...STATES)], string('State 0State 149')],
  [
    'nestedStructTest',
    [
      struct({
        1999: struct({ '04': struct({ '01': stooges(1, 1, 1) }) }),
        2000: struct({ '03': struct({}), '04': struct({ '01': stooges(20, 3, 0), '02': stooges(9, 9, 9) }) }),
      }),
    ],
    int(23),
  ],
  ['simpleStructReturnTest', [int(-3)], struct({ times10: int(-30), times100: int(-300), times1000: int(-3000) })],
]

describe('XMLRPCController', () => {
  const map = new Mapper().connect('/interop', { controller: 'interop' })
  const app = new FrameworkApp({ map, controllers: { interop: InteropController } })
  const cases = ROWS.map(([method, params, value]) => ({
    name: method,
    input: `<?xml version="1.0"?><methodCall><methodName>validator1.${method}</methodName><params>${params
      .map((param) => `<param>${param}</param>`)
      .join('')}</params></methodCall>`,
    allowed: [value],
  }))

  // http://1998.xmlrpc.com/validator1Docs.html
  agrees('validator1 of 1998', cases, async (body) => {
    const headers = { 'Content-Type': 'text/xml' }
    const request = new Request('http://localhost/interop', { method: 'POST', headers, body })
    const text = (await (await app.fetch(request)).text()).replace(/>\s+</g, '><')
    const [, value] = /<param>(.*)<\/param>/s.exec(text) ?? []
    return (
      value
        ?.replaceAll(/<(\/?)i4>/g, '<$1int>')
        .replaceAll(/<value>([^<]+)<\/value>/g, '<value><string>$1</string></value>') ?? text
    )
  })
})
