/** Routes: matching and generating are inverse, whatever the path. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { GenerationError, Mapper, type Route, RoutingError } from 'propylon/routing'
import { edited, edits, text } from '../arbitraries.ts'
import { property, type Subject } from '../property.ts'

const PIECES = [
  'a',
  'b',
  '.',
  '-',
  '/',
  ';',
  ' ',
  'é',
  '日',
  '%',
  '+',
  '{x}',
  '{y}',
  '{z}',
  '{x:.*}',
  '{y:.+}',
  '{z:\\d+}',
  '{x:[^/]+}',
  '{y:a|b|.}',
  '{.format}',
  '{path_info:.*}',
  ':x',
  '*y',
  '\\:',
  '\\{',
]

const template = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 7 })
  .map((pieces) => `/${pieces.join('').replace(/^\/+/, '')}`)

const NAMES = ['x', 'y', 'z', 'format', 'path_info'] as const

const values = fc.array(
  fc.tuple(fc.constantFrom(...NAMES), fc.oneof(text(8), fc.constantFrom('1', 'a', 'html', '..', '.'))),
  { maxLength: 5 },
)

/** Parts of paths as clients send them. */
const raw = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        ...PIECES.slice(0, 11),
        ...[
          '1',
          '.html',
          '.json',
          '..',
          '//',
          '%2F',
          '%2e',
          '%25',
          '%3B',
          '%C3%A9',
          '%e6%97%a5',
          '%zz',
          '%ff',
          '%00',
          '%',
          '%ED%A0%80',
        ],
        ...['?', '#', '\\', '\0', '\n', '😀', '\ud800', 'users', 'new', ';edit'],
      ),
      { maxLength: 10 },
    )
    .map((pieces) => `/${pieces.join('')}`),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'X', '')

/** Returns a mapper of named routes, without those that are malformed. */
function mapperOf(templates: readonly string[], trailingSlash: 'strict' | 'redirect' = 'strict'): Mapper {
  const map: Mapper = new Mapper({ rememberSites: false, trailingSlash })
  for (const [index, path] of templates.entries()) {
    try {
      map.connect(`r${index}`, path)
    } catch (error) {
      if (!(error instanceof RoutingError)) throw error
    }
  }
  return map
}

/** Returns a URL, or undefined if the values do not fit the route. */
function urlOf(map: Mapper, name: string, given: Record<string, string | null>): string | undefined {
  try {
    return map.url.current(name, given)
  } catch (error) {
    if (error instanceof GenerationError) return undefined
    throw error
  }
}

function parametersOf({ pattern }: Route): string[] {
  return pattern.parameters.map(({ name }) => name)
}

/** Returns the path of a URL as a browser sends it. */
function sentPath(url: string): string {
  return new URL(url, 'http://site.invalid').pathname
}

export const mapper: Subject = {
  name: 'mapper',
  properties: [
    property(
      'a generated path matches the values that it was generated from, also as a browser sends it',
      fc.record({ template, values }),
      ({ template, values }) => {
        const map = mapperOf([template])
        const [route] = map.routes
        if (route?.name == null) return
        const given: Record<string, string> = {}
        for (const [name, value] of values) if (parametersOf(route).includes(name)) given[name] = value
        const url = urlOf(map, route.name, given)
        if (url === undefined) return
        for (const path of [url, sentPath(url)]) {
          const match = map.match(path)
          assert.ok(match !== null, `${path} of ${template} does not match`)
          for (const [name, value] of Object.entries(given)) {
            if (value !== '' || match[name] !== null)
              assert.equal(match[name] ?? '', value, `${name} in ${path} of ${template}`)
          }
        }
      },
    ),
    property(
      'the values of a path generate a path with the same values',
      fc.record({ templates: fc.array(template, { minLength: 1, maxLength: 4 }), path: raw }),
      ({ templates, path }) => {
        const map = mapperOf(templates)
        const [match, route] = map.routematch(path) ?? []
        if (match === undefined || route?.name == null) return
        const given: Record<string, string | null> = {}
        for (const name of parametersOf(route)) given[name] = match[name] ?? null
        const url = urlOf(map, route.name, given)
        // Dots alone are no value that a client can send, and the mount point itself has no other path.
        if (url === undefined) return
        const again = map.routematch(url)
        assert.ok(again, `${url}, generated from ${path}, matches no route`)
        if (again[1] === route) assert.deepEqual({ ...again[0] }, { ...match }, `${url}, generated from ${path}`)
      },
    ),
    property(
      'any path resolves, is explained, and is redirected to this host only',
      fc.record({
        templates: fc.array(template, { maxLength: 5 }),
        path: raw,
        method,
        host: fc.option(text(10)),
        query: text(10),
      }),
      ({ templates, path, method, host, query }) => {
        for (const trailingSlash of ['strict', 'redirect'] as const) {
          const map = mapperOf(templates, trailingSlash).resource('user', 'users')
          const context = { query, ...(host === null ? {} : { host }) }
          const resolution = map.resolve(method, path, context)
          map.explain(method, path, context)
          assert.equal(map.resolve(method, path, context).kind, resolution.kind)
          if (resolution.kind !== 'redirect') continue
          const { location } = resolution
          assert.match(location, /^\/[!-~]*$/)
          const url = new URL(location, 'http://site.invalid')
          assert.equal(url.origin, 'http://site.invalid', location)
        }
      },
    ),
    property(
      'the escapes of letters and digits do not matter',
      fc.record({
        templates: fc.array(template, { minLength: 1, maxLength: 4 }),
        path: raw,
        changes: edits(fc.constant('')),
      }),
      ({ templates, path, changes }) => {
        const map = mapperOf(templates)
        const escaped = [...edited(path, changes)]
          .map((character, index, all) => {
            const isHex = all[index - 1] === '%' || all[index - 2] === '%'
            if (isHex || !/[A-Za-z0-9]/.test(character)) return character
            return `%${character.charCodeAt(0).toString(16)}`
          })
          .join('')
        const [plain, other] = [map.routematch(edited(path, changes)), map.routematch(escaped)]
        assert.deepEqual({ ...other?.[0] }, { ...plain?.[0] }, escaped)
        assert.equal(other?.[1], plain?.[1])
      },
    ),
  ],
}
