import type { Environ } from '../../wsgi/types.ts'

/**
 * Returns the address of a client, under which its requests are counted. An IPv6 address is cut to its network of 64
 * bits (RFC 4291 §2.5.1), because a client can use all addresses of its network. An IPv4-mapped address is the IPv4
 * address.
 *
 * Behind a proxy it is the address of the proxy, unless the server has `trustProxy`.
 *
 * @example
 * ```ts
 * import { clientAddress, limit } from 'propylon/middleware'
 *
 * // Requests of the health check are not limited.
 * export const limited = limit({
 *   max: 100,
 *   window: 60,
 *   key: (environ) => (environ.PATH_INFO === '/healthz' ? undefined : clientAddress(environ)),
 * })
 * ```
 */
export function clientAddress({ REMOTE_ADDR: address = '' }: Environ): string {
  if (!address.includes(':')) return address
  const [withoutZone = ''] = address.split('%')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(withoutZone)?.[1]
  return mapped ?? networkOf(withoutZone) ?? address
}

function networkOf(address: string): string | undefined {
  const url = `http://[${address}]`
  if (!URL.canParse(url)) return undefined
  // The shortest form, with a :: for the longest row of zeros.
  const [before = '', after] = new URL(url).hostname.slice(1, -1).split('::')
  const groups = before === '' ? [] : before.split(':')
  if (after !== undefined) {
    const last = after === '' ? [] : after.split(':')
    const zeros = Array.from({ length: 8 - groups.length - last.length }, () => '0')
    groups.push(...zeros, ...last)
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}
