/** Cases of cors: a request, and the fields of the response. Lists are compared as sets. */
import { type Received, send } from './client.ts'
import { judge } from './referee.ts'
import { onSite } from './site.ts'

/** A policy of the site, and names of `Access-Control-…` or other fields. */
type Row = readonly [
  name: string,
  policy: 'any' | 'listed' | 'pattern',
  method: 'GET' | 'OPTIONS',
  shown: readonly string[],
  outcome: string,
  reason?: string | undefined,
  fields?: Readonly<Record<string, string | undefined>>,
]

const ORIGIN = 'Access-Control-Allow-Origin'
const METHODS = 'Access-Control-Allow-Methods'
const HEADERS = 'Access-Control-Allow-Headers'
const CREDENTIALS = 'Access-Control-Allow-Credentials'
const EXPOSE = 'Access-Control-Expose-Headers'
const AGE = 'Access-Control-Max-Age'
const ELSEWHERE = { Origin: 'http://localhost' }

const ROWS: readonly Row[] = [
  ['a request', 'any', 'GET', [ORIGIN, METHODS], `200, ${ORIGIN}: *, ${METHODS}: none`],
  ['a preflight', 'any', 'OPTIONS', [ORIGIN], `204, ${ORIGIN}: *`],
  ['the default methods', 'any', 'OPTIONS', [METHODS], `204, ${METHODS}: DELETE,GET,HEAD,PATCH,POST,PUT`],
  ['the requested fields', 'any', 'OPTIONS', [HEADERS], `204, ${HEADERS}: x-header-1,x-header-2`],
  ['Vary for the requested fields', 'any', 'OPTIONS', ['Vary'], '204, Vary: Access-Control-Request-Headers'],
  [
    'Content-Length of a preflight',
    'any',
    'OPTIONS',
    ['Content-Length'],
    '204, Content-Length: 0',
    'RFC 9110 §8.6 forbids Content-Length in a 204.',
  ],
  ['no credentials by default', 'any', 'OPTIONS', [CREDENTIALS], `204, ${CREDENTIALS}: none`],
  ['no time by default', 'any', 'OPTIONS', [AGE], `204, ${AGE}: none`],
  [
    'OPTIONS without Access-Control-Request-Method',
    'any',
    'OPTIONS',
    [ORIGIN],
    `204, ${ORIGIN}: *`,
    'The Fetch standard calls a request a preflight only if it has this field. The application responds to others.',
    { 'Access-Control-Request-Method': undefined },
  ],
  ['a listed origin', 'listed', 'GET', [ORIGIN], `200, ${ORIGIN}: http://example.com`],
  ['Vary, which the application has set', 'listed', 'GET', ['Vary'], '200, Vary: Foo,Origin'],
  ['exposed fields', 'listed', 'GET', [EXPOSE], `200, ${EXPOSE}: custom-header1,custom-header2`],
  ['credentials', 'listed', 'GET', [CREDENTIALS], `200, ${CREDENTIALS}: true`],
  [
    'a preflight of a listed origin',
    'listed',
    'OPTIONS',
    [ORIGIN, METHODS, HEADERS, CREDENTIALS, AGE],
    `204, ${ORIGIN}: http://example.com, ${METHODS}: BAR,FOO, ${HEADERS}: FIZZ,buzz, ${CREDENTIALS}: true, ${AGE}: 123`,
  ],
  [
    'an origin that is not listed',
    'listed',
    'GET',
    [ORIGIN, 'Vary'],
    `200, ${ORIGIN}: none, Vary: Foo,Origin`,
    undefined,
    ELSEWHERE,
  ],
  ['an origin of a pattern', 'pattern', 'GET', [ORIGIN], `200, ${ORIGIN}: http://example.com`],
  [
    'an origin that does not match the pattern',
    'pattern',
    'GET',
    [ORIGIN, 'Vary'],
    `200, ${ORIGIN}: none, Vary: Foo,Origin`,
    undefined,
    ELSEWHERE,
  ],
  ['a time of 0', 'pattern', 'OPTIONS', [AGE], `204, ${AGE}: 0`],
]

function outcomeOf({ status, headers }: Received, shown: readonly string[]): string {
  const fields = shown.map((name) => {
    const values = headers[name.toLowerCase()]?.split(',').map((value) => value.trim())
    return `${name}: ${values?.sort().join(',') ?? 'none'}`
  })
  return [status, ...fields].join(', ')
}

function defined(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

export const cors = onSite({
  name: 'cors',
  version: '2.8.6 (5317ebe)',
  source: 'https://github.com/expressjs/cors/blob/5317ebe670db2aaebc1d496eb5d33493deefb3ed/test/test.js',
  judges: '`cors`',
  judge: (port) =>
    judge(
      ROWS.map(([name, policy, method, shown, outcome, reason, fields]) => ({
        name,
        input: { policy, method, shown, fields },
        allowed: [outcome],
        reason,
      })),
      async ({ policy, method, shown, fields }) => {
        const preflight = {
          'Access-Control-Request-Method': policy === 'listed' ? 'FOO' : 'GET',
          'Access-Control-Request-Headers': policy === 'listed' ? 'buzz,fizz' : 'x-header-1, x-header-2',
        }
        const headers = defined({
          Origin: 'http://example.com',
          ...(method === 'OPTIONS' && preflight),
          ...fields,
        })
        const path = `/cors/${policy}`
        return outcomeOf(await send(port, { path, method, headers }), shown)
      },
    ),
})
