import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { fileURLToPath } from 'node:url'
import { env, keep } from 'propylon'
import { intBetween, optional, string } from 'propylon/converters'
import * as v from 'valibot'

const pathOf = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url))
const matching = (pattern: RegExp, message: string) => v.pipe(v.string(), v.regex(pattern, message))
const secret = v.pipe(v.string('is required in production'), v.minLength(32, 'needs 32 characters or more'))

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

const workers = v.pipe(
  matching(/^(auto|[1-9]\d{0,2})$/, "must be a number from 1 to 999, or 'auto'"),
  v.transform((text) => (text === 'auto' ? text : Number(text))),
)

/** The settings, from the environment. All of them are checked when the wiki starts. */
export const settings = env({
  HOST: optional(string, '127.0.0.1'),
  PORT: optional(intBetween(0, 65_535), 5001),
  LISTEN: optional(matching(/^unix:./, 'must be unix:PATH')),
  DATABASE_URL: optional(
    matching(/^(sqlite:.|postgres(ql)?:\/\/)/, 'must be sqlite:PATH or postgres://…'),
    `sqlite:${pathOf('var/wiki.db')}`,
  ),
  REDIS_URL: optional(matching(/^rediss?:\/\/./, 'must be redis://…')),
  UPLOADS: optional(string, pathOf('var/uploads')),
  MAX_UPLOAD: optional(intBetween(1), 2 ** 30),
  SECRET: process.env.NODE_ENV === 'production' ? secret : optional(secret, keep('wiki secret', randomSecret)),
  ADMIN_PASSWORD: optional(matching(/^.{8,1024}$/s, 'must have 8 to 1024 characters')),
  TRUST_PROXY: optional(proxies, []),
  PROXY_HEADERS: optional(
    v.picklist(['x-forwarded', 'forwarded'], "must be 'x-forwarded' or 'forwarded'"),
    'x-forwarded',
  ),
  HEARTBEAT: optional(intBetween(0, 2 ** 31 - 1), 15_000),
  WORKERS: optional(workers, 1),
})

/** Returns the secret of a development server, which its workers inherit. */
function randomSecret(): string {
  process.env.SECRET ||= randomBytes(32).toString('base64')
  return process.env.SECRET
}
