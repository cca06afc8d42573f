/**
 * The option `trustProxy`: addresses of proxies whose forwarding headers are used.
 *
 * @module
 */
import { BlockList, isIP, isIPv6 } from 'node:net'
import { describeValue } from '../../base/describe.ts'
import { type Proxies, type ProxyHeaders, proxyHeadersOf, type TrustRule } from './proxy-headers.ts'

const FIX =
  "Write an address ('127.0.0.1', '::1'), a range ('10.0.0.0/8', 'fd00::/8'), or 'unix' for peers on unix sockets."

/**
 * Returns the proxies that the options of a server name, or undefined if they name none.
 *
 * @throws TypeError - an option is malformed.
 */
export function proxiesOf(
  entries: readonly string[] | undefined,
  proxyHeaders: ProxyHeaders | undefined,
): Proxies | undefined {
  const headers = proxyHeadersOf(proxyHeaders)
  return entries === undefined ? undefined : { trusts: trustedProxies(entries), headers }
}

/**
 * Returns the rule of a list of proxies. An IPv4-mapped IPv6 address matches like its IPv4 address.
 *
 * @throws TypeError - an entry is malformed, or the value is not a list.
 */
export function trustedProxies(entries: readonly string[]): TrustRule {
  if (!Array.isArray(entries)) {
    throw new TypeError(
      `trustProxy is ${describeValue(entries)}. Pass the addresses of your proxies: trustProxy: ['127.0.0.1', '10.0.0.0/8', 'unix'].`,
    )
  }
  const listed = new BlockList()
  let hasUnix = false
  for (const entry of entries) {
    if (entry === 'unix') hasUnix = true
    else if (typeof entry !== 'string' || !addEntry(listed, entry)) {
      throw new TypeError(`trustProxy contains ${describeValue(entry)}. ${FIX}`)
    }
  }
  return (address) => {
    if (address === '') return hasUnix
    const [bare = ''] = address.split('%', 1) // A link-local address ends in the name of its interface.
    const version = isIP(bare)
    return version !== 0 && listed.check(bare, version === 6 ? 'ipv6' : 'ipv4')
  }
}

/** Returns false if the entry is neither an address nor a range. */
function addEntry(listed: BlockList, entry: string): boolean {
  const [, address = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  if (isIP(address) === 0) return false
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  if (bits === undefined) listed.addAddress(address, family)
  else if (Number(bits) > (family === 'ipv6' ? 128 : 32)) return false
  else listed.addSubnet(address, Number(bits), family)
  return true
}
