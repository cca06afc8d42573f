/**
 * The options of `propylon rpc` that concern the connection: headers, user, time limit, certificates.
 *
 * @module
 */

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import tls from 'node:tls'
import { encodeBase64 } from '../../base/base64.ts'
import type { ParsedArguments } from '../../base/command-line/command.ts'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import type { Terminal } from '../../base/command-line/terminal.ts'

/** Options of the requests, as all clients have them. */
export interface ConnectionOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly timeout?: number
}

/** Environment variable with the password of `--user`, which the list of processes does not show. */
const PASSWORD = 'PROPYLON_RPC_PASSWORD'

const MAX_TIMEOUT = 2 ** 31 - 1

/**
 * Reads the options of the connection. Certificates are trusted from then on.
 *
 * @throws UsageError - an option is malformed, or its file cannot be read.
 */
export async function connectionOf(
  parsed: ParsedArguments,
  { cwd, env }: Terminal,
): Promise<ConnectionOptions> {
  const ca = parsed.value('ca')
  if (ca !== undefined) await trust(ca, cwd)
  const user = parsed.value('user')
  const headers = Object.fromEntries(parsed.values('header').map(headerOf))
  const timeout = parsed.value('timeout')
  return {
    headers: user === undefined ? headers : { authorization: basic(user, env[PASSWORD]), ...headers },
    ...(timeout !== undefined && { timeout: timeoutOf(timeout) }),
  }
}

/** Adds the password from the environment to a URL with a user name only. */
export function withPassword(address: string, env: Terminal['env']): string {
  const password = env[PASSWORD]
  if (password === undefined || !URL.canParse(address)) return address
  const url = new URL(address)
  if (url.username === '' || url.password !== '') return address
  url.password = encodeURIComponent(password)
  return url.href
}

/** @throws UsageError - the text is not a header field. */
export function headerOf(text: string): [name: string, value: string] {
  const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/.exec(text) ?? []
  if (name !== '' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return [name.toLowerCase(), value.trim()]
  throw new UsageError(`${quoted(text)} is not a header`, "write one like 'X-Token: abc'")
}

/** Returns the `Authorization` header of HTTP Basic (RFC 7617). */
function basic(user: string, environmentPassword: string | undefined): string {
  const colon = user.indexOf(':')
  const password = colon < 0 ? environmentPassword : user.slice(colon + 1)
  if (password === undefined) {
    throw new UsageError(
      `'--user' has no password for ${quoted(user)}`,
      `write '--user NAME:PASSWORD', or set ${PASSWORD}`,
    )
  }
  const name = colon < 0 ? user : user.slice(0, colon)
  return `Basic ${encodeBase64(new TextEncoder().encode(`${name}:${password}`))}`
}

function timeoutOf(text: string): number {
  const timeout = /^\d{1,10}$/.test(text) ? Number(text) : 0
  if (timeout >= 1 && timeout <= MAX_TIMEOUT) return timeout
  throw new UsageError(`'--timeout' is ${quoted(text)}`, `write milliseconds, from 1 to ${MAX_TIMEOUT}`)
}

async function trust(path: string, cwd: string): Promise<void> {
  let pem: string
  try {
    pem = await readFile(resolve(cwd, path), 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new UsageError(`the file ${quoted(path)} of '--ca' cannot be read${code}`)
  }
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) {
    throw new UsageError(`the file ${quoted(path)} of '--ca' has no certificate`, 'it must be in PEM format')
  }
  // Node 22.19 and 24.5 have these functions.
  const { getCACertificates, setDefaultCACertificates }: Partial<typeof tls> = tls
  if (getCACertificates === undefined || setDefaultCACertificates === undefined) {
    throw new UsageError(
      `'--ca' needs a newer Node than ${process.versions.node}`,
      `set NODE_EXTRA_CA_CERTS=${path} instead`,
    )
  }
  setDefaultCACertificates([...getCACertificates('default'), pem])
}
