import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { fileURLToPath } from 'node:url'
import { env, keep } from 'propylon'
import { optional, string } from 'propylon/converters'
import * as v from 'valibot'

const isProduction = process.env.NODE_ENV === 'production'

const secret = v.pipe(v.string('is required in production'), v.minLength(32, 'needs 32 characters or more'))
const path = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url))

/** Returns a converter of the integers from `min` to `max`. */
const integer = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  v.pipe(
    v.string(),
    v.regex(/^\d+$/, 'must be an integer'),
    v.transform(Number),
    v.minValue(min, `must be ${min} or more`),
    v.maxValue(max, `must be ${max} or less`),
  )

/** Returns true for an address, a range such as 10.0.0.0/8, or `unix`. */
function isProxy(entry: string): boolean {
  const [, address = '', bits = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  return entry === 'unix' || (isIP(address) > 0 && Number(bits) <= (isIP(address) === 4 ? 32 : 128))
}

const proxies = v.pipe(
  v.string(),
  v.transform((list) => list.split(',').map((entry) => entry.trim())),
  v.everyItem(isProxy, "must list addresses, ranges and 'unix', with commas between them"),
)

/** The settings, from the environment. The first use checks all of them. */
export const settings = env({
  HOST: optional(string, '127.0.0.1'),
  PORT: optional(integer(0, 65_535), 5001),
  LISTEN: optional(v.pipe(v.string(), v.regex(/^unix:./, 'must be unix:PATH'))),
  DATABASE_URL: optional(
    v.pipe(v.string(), v.regex(/^(sqlite:.|postgres(ql)?:\/\/)/, 'must be sqlite:PATH or postgres://…')),
    `sqlite:${path('var/wiki.db')}`,
  ),
  REDIS_URL: optional(
    v.pipe(v.string(), v.regex(/^rediss?:\/\//, 'must be redis://…'), v.url('must be a URL')),
  ),
  UPLOADS: optional(string, path('var/uploads')),
  MAX_UPLOAD: optional(integer(1), 2 ** 30),
  SECRET: isProduction ? secret : optional(secret, keep('secret of the wiki', developmentSecret)),
  ADMIN_PASSWORD: optional(
    v.pipe(
      v.string(),
      v.minLength(8, 'must have 8 characters or more'),
      v.maxLength(1024, 'must have 1024 characters or less'),
    ),
  ),
  TRUST_PROXY: optional(proxies),
  HEARTBEAT: optional(integer(0, 2 ** 31 - 1), 15_000),
  WORKERS: optional(
    v.union([v.literal('auto'), integer(1, 1024)], "must be a number from 1 to 1024, or 'auto'"),
    1,
  ),
})

/** Returns a random secret, which the workers of this process inherit. */
function developmentSecret(): string {
  process.env.SECRET ||= randomBytes(32).toString('base64')
  return process.env.SECRET
}
