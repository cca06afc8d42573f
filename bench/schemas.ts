/** Measures declared arguments, results and bodies by the library of their schemas. */
import assert from 'node:assert/strict'
import type { MeasureSection } from './section.ts'
import { measureWays, type Way } from './ways.ts'
import { formOfUser, users } from './works/data.ts'

const LIBRARIES: readonly (readonly [name: string, title: string])[] = [
  ['zod', 'Zod'],
  ['valibot', 'Valibot'],
  ['arktype', 'ArkType'],
]

const [user] = users.slice(6)
const UNDECLARED = 'JSON of one user, nothing declared'
const BY_HAND = 'form, read and checked by hand'

function show(title: string, path: string): Way {
  const check: Way['check'] = ({ body }) => assert.deepEqual(JSON.parse(body), user)
  return { title, method: 'GET', path: `${path}/${user?.name}`, baseline: UNDECLARED, check }
}

function create(title: string, path: string): Way {
  return {
    title,
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: formOfUser,
    status: 201,
    baseline: BY_HAND,
    check: ({ body }) => assert.equal(body, 'Created joe'),
  }
}

const ways: readonly Way[] = [
  show(UNDECLARED, '/plain/show'),
  ...LIBRARIES.flatMap(([name, title]) => [
    show(`JSON, argument by ${title}`, `/${name}/show`),
    show(`JSON, argument and result by ${title}`, `/${name}/checked`),
  ]),
  create(BY_HAND, '/plain'),
  ...LIBRARIES.map(([name, title]) => create(`form by ${title}`, `/${name}`)),
]

export const measureSchemas: MeasureSection = async (context) => ({
  title: 'Declared arguments, results and bodies',
  text: 'CPU time of a request on Node by the library of the schemas. The ratio of the JSON is to an action that declares nothing, and the ratio of a form to an action that reads and checks the same four fields by hand.',
  head: ['action', 'CPU µs', 'ratio'],
  rows: await measureWays('schemas.ts', ways, context),
})
