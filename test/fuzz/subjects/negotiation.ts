/** Accept, Accept-Language and Accept-Encoding. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { accepts, acceptsLanguage, parseAccept } from 'propylon/http'
import { compress } from 'propylon/middleware'
import { createEnviron, run } from 'propylon/wsgi'
import { blank, soup, token } from '../arbitraries.ts'
import { property, type Subject } from '../property.ts'

const OFFERS: readonly string[] = ['text/html', 'text/plain', 'application/json', 'image/png']
const RANGES = [...OFFERS, 'text/*', 'application/*', 'image/*', '*/*']
const LANGUAGES = ['de', 'de-ch', 'en', 'en-us', 'fr'] as const
const CODINGS = ['gzip', 'br', 'zstd', 'identity', '*'] as const

/** A weight in thousandths; null for none. */
const weight = fc.option(fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.constantFrom(0, 1, 1000)))

const members = (names: readonly string[]) =>
  fc.uniqueArray(fc.record({ value: fc.constantFrom(...names), weight, blank, isUpper: fc.boolean() }), {
    selector: ({ value }) => value,
    maxLength: 6,
  })

type Members = readonly { value: string; weight: number | null; blank: string; isUpper: boolean }[]

function headerOf(members: Members): string {
  return members
    .map(({ value, weight, blank, isUpper }) => {
      const name = isUpper ? value.toUpperCase() : value
      const q = weight === null ? '' : `${blank};${blank}${isUpper ? 'Q' : 'q'}=${(weight / 1000).toFixed(3)}`
      return `${blank}${name}${q}${blank}`
    })
    .join(',')
}

/** Returns the weight of an offer by the most specific member that matches it, in thousandths. */
function weightOf(members: Members, fits: (value: string) => number): number {
  let best = 0
  let weight = 0
  for (const member of members) {
    const fit = fits(member.value)
    if (fit <= best) continue
    best = fit
    weight = member.weight ?? 1000
  }
  return weight
}

const fitOfType = (offer: string) => (range: string) => {
  if (range === '*/*') return 1
  if (range.endsWith('/*')) return offer.startsWith(range.slice(0, -1)) ? 2 : 0
  return range === offer ? 3 : 0
}

const wild = soup(
  [
    ',',
    ';',
    'q=',
    'q=0',
    '0.5',
    '1',
    '=',
    '"',
    '\\',
    '*/*',
    '*',
    'text/html',
    'TEXT/',
    'de',
    '-',
    'gzip',
    'identity',
    ' ',
  ],
  14,
)

export const negotiation: Subject = {
  name: 'negotiation',
  properties: [
    property(
      'the chosen media type has the highest weight, and none is chosen only if none is acceptable',
      members(RANGES),
      (given) => {
        const chosen = accepts(headerOf(given), OFFERS)
        const weights = OFFERS.map((offer) => (given.length === 0 ? 1000 : weightOf(given, fitOfType(offer))))
        const highest = Math.max(...weights)
        if (highest === 0) assert.equal(chosen, undefined)
        else assert.equal(weights[OFFERS.indexOf(chosen ?? '')], highest)
      },
    ),
    property('any header chooses one of the offers or none, in whatever case it is written', wild, (header) => {
      const upper = header.replace(/[a-z]/g, (letter) => letter.toUpperCase())
      for (const [choose, offers] of [
        [accepts, OFFERS],
        [acceptsLanguage, LANGUAGES],
      ] as const) {
        const chosen = choose(header, offers)
        assert.ok(chosen === undefined || offers.some((offer) => offer === chosen))
        assert.equal(choose(upper, offers), chosen)
      }
    }),
    property(
      'members keep their order, and every weight is from 0 to 1',
      fc.record({ wild, name: token }),
      ({ wild, name }) => {
        const ranges = parseAccept(wild)
        assert.ok(ranges.length <= 64)
        let at = 0
        for (const { value, quality } of ranges) {
          assert.ok(quality >= 0 && quality <= 1)
          at = wild.toLowerCase().indexOf(value, at)
          assert.ok(at >= 0, `${JSON.stringify(value)} is not in the header, or not in its place`)
        }
        // A member behind a well-formed header is read, whatever its name.
        const last = parseAccept(`a, ${name};q=0.25`).at(-1)
        assert.deepEqual([last?.value, last?.quality], [name.toLowerCase(), 0.25])
      },
    ),
    property(
      'a compressed response has an accepted coding and decompresses to the text',
      members(CODINGS),
      async (given) => {
        const body = 'Propylon '.repeat(300)
        const app = compress()((_environ, start_response) => {
          start_response('200 OK', [['Content-Type', 'text/plain']])
          return [body]
        })
        const result = await run(app, createEnviron({ headers: [['Accept-Encoding', headerOf(given)]] }))
        const [, coding = 'identity'] = result.headers.find(([name]) => name === 'Content-Encoding') ?? []
        const content = await result.bytes()
        const fits = (value: string) => (value === coding ? 2 : Number(value === '*'))
        if (coding === 'identity') assert.equal(Buffer.from(content).toString(), body)
        else {
          assert.ok(weightOf(given, fits) > 0, `${coding} is not accepted`)
          assert.equal(await decompressed(content, coding), body)
        }
      },
    ),
  ],
}

async function decompressed(content: Uint8Array, coding: string): Promise<string> {
  const { brotliDecompressSync, gunzipSync, zstdDecompressSync } = await import('node:zlib')
  const decompress = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync }[coding]
  assert.ok(decompress)
  return decompress(content).toString()
}
