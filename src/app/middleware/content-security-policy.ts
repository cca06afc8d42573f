/**
 * Content-Security-Policy (CSP Level 3): directives as options, checked, and formatted with a nonce.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { similar } from '../../base/suggest.ts'
import { checkOptions, type OptionRule } from '../check-options.ts'

const DIRECTIVES = [
  'base-uri',
  'child-src',
  'connect-src',
  'default-src',
  'fenced-frame-src',
  'font-src',
  'form-action',
  'frame-ancestors',
  'frame-src',
  'img-src',
  'manifest-src',
  'media-src',
  'object-src',
  'report-to',
  'report-uri',
  'require-trusted-types-for',
  'sandbox',
  'script-src',
  'script-src-attr',
  'script-src-elem',
  'style-src',
  'style-src-attr',
  'style-src-elem',
  'trusted-types',
  'upgrade-insecure-requests',
  'worker-src',
] as const

/** Name of a directive of Content-Security-Policy. */
export type ContentSecurityPolicyDirective = (typeof DIRECTIVES)[number]

/**
 * Values by directive: `{ 'img-src': ["'self'", 'https://images.example'] }`. `null` removes a directive. A directive
 * without values, such as `upgrade-insecure-requests`, has an empty list.
 */
export type ContentSecurityPolicy = {
  readonly [directive in ContentSecurityPolicyDirective]?: readonly string[] | null
}

/**
 * The source in a directive for which the nonce of the response is written: `'script-src': ["'self'", NONCE]`.
 * Without a nonce a directive allows no inline scripts or styles.
 */
export const NONCE = "'nonce'"

/** The policy of `secureHeaders()`, by directive. */
const DEFAULT_POLICY: ContentSecurityPolicy = {
  'default-src': ["'self'"],
  'script-src': ["'self'", NONCE],
  'style-src': ["'self'", NONCE],
  'img-src': ["'self'", 'data:'],
  'object-src': ["'none'"],
  'base-uri': ["'self'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
}

const KEYWORDS = [
  'self',
  'none',
  'unsafe-inline',
  'unsafe-eval',
  'unsafe-hashes',
  'wasm-unsafe-eval',
  'strict-dynamic',
  'report-sample',
  'inline-speculation-rules',
  'trusted-types-eval',
  'allow-duplicates',
  'script',
]

/**
 * Keywords that are also values without quotes of some directive: `require-trusted-types-for 'script'`, a policy
 * name.
 */
const AMBIGUOUS: ReadonlySet<string> = new Set(['script', 'allow-duplicates'])

const RULES: Readonly<Record<string, OptionRule>> = Object.fromEntries(
  DIRECTIVES.map((directive) => [
    directive,
    [
      (values) => values === null || Array.isArray(values),
      `a list, such as ["'self'"], or null to remove the directive`,
    ],
  ]),
)

/**
 * Returns a function that formats the default policy, with directives replaced, for a nonce.
 *
 * @throws TypeError - a directive or keyword is unknown, or a value would end its directive or the header.
 */
export function policyFormatter(replaced: ContentSecurityPolicy): (nonce: string) => string {
  checkOptions('secureHeaders({ csp })', replaced, RULES)
  for (const [directive, values] of Object.entries(replaced)) checkValues(directive, values ?? [])
  const policy = Object.entries({ ...DEFAULT_POLICY, ...replaced }).flatMap(([directive, values]) =>
    values === null || values === undefined ? [] : [[directive, ...values].join(' ')],
  )
  const pieces = policy.join('; ').split(NONCE)
  return (nonce) => pieces.join(`'nonce-${nonce}'`)
}

function checkValues(directive: string, values: readonly unknown[]): void {
  for (const value of values) {
    const fault = faultOf(value)
    if (fault !== undefined)
      throw new TypeError(`secureHeaders(): ${directive} contains ${describeValue(value)}. ${fault}`)
  }
  if (values.length > 1 && values.includes("'none'")) {
    throw new TypeError(`secureHeaders(): ${directive} contains 'none' and other values. Keep one of the two.`)
  }
}

/** Returns how to correct a value, or undefined if it is valid. */
function faultOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'Write each value as a string.'
  if (value === NONCE) return undefined
  if (!/^[\x21-\x7e]+$/.test(value) || /[;,]/.test(value)) {
    return 'Write one value without blanks, semicolons, commas and characters beyond ASCII. Percent-encode these characters in a URL.'
  }
  const keyword = value.replace(/^'(.*)'$/, '$1')
  if (keyword === value) {
    return KEYWORDS.includes(value) && !AMBIGUOUS.has(value)
      ? `Write the keyword with quotes: "'${value}'".`
      : undefined
  }
  if (/^nonce-/.test(keyword)) return 'A nonce must differ in each response. Use the constant NONCE.'
  if (/^sha(?:256|384|512)-[A-Za-z0-9+/_-]+={0,2}$/.test(keyword) || KEYWORDS.includes(keyword)) return undefined
  const meant = similar(keyword, KEYWORDS)
  return meant === undefined
    ? 'Only keywords and hashes have quotes. Write hosts and schemes without.'
    : `Did you mean "'${meant}'"?`
}
