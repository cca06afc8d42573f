import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { describe, it } from 'node:test'
import { type Token, tokenizer } from 'acorn'
import { type RegexToken, tokenizeRegex } from '../src/base/regex.ts'
import { backtrackingOf } from './backtracking.ts'

/** Modules that read sources, templates, routes and stacks of the application, and nothing of a request. */
const OWN_TEXTS = new RegExp(
  ['^src/(?:tools|rpc/client)/', 'src/base/regex', 'src/app/(?:import-hint|syntax-fault)']
    .concat('src/app/openapi/(?:responses|texts)', 'src/app/error-pages/source', 'src/http/templating/compile')
    .concat('src/controllers/(?:doc-comment|parameter-names|parameters)', 'src/routing/(?:pattern|requirement|route)')
    .map((path) => (path.endsWith('/') ? path : `^${path}\\.ts$`))
    .join('|'),
)

/** Expressions on texts of a fixed length, which back references and counted groups make look slow. */
const SHORT: readonly RegExp[] = [
  /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/,
  /^(\d{4})(-?)(\d{2})\2(\d{2})T(\d{2})(:?)(\d{2})\6(\d{2})(?:[.,](\d{1,9}))?(Z|[+-]\d{2}(?::?\d{2})?)?$/,
]

/** Returns the alternatives of an expression, `(?:^|,)x` as `^x` and `,x`. */
function alternativesOf(regex: RegExp): RegexToken[][] {
  const alternatives: RegexToken[][] = [[]]
  let depth = 0
  for (const token of tokenizeRegex(
    new RegExp(regex.source.replace(/^\(\?:\^\|(.)\)(.*)$/s, '^$2|$1$2'), regex.flags),
  )) {
    if (token.type === 'open') depth++
    if (token.type === 'close') depth--
    if (token.type === 'or' && depth === 0) alternatives.push([])
    else alternatives.at(-1)?.push(token)
  }
  return alternatives
}

/** Returns an alternative without a repetition at its end, which never fails. */
function withoutEnd(tokens: readonly RegexToken[]): readonly RegexToken[] {
  const last = tokens.findLastIndex(({ type }) => type !== 'close')
  const repeatsAtom = tokens[last]?.type === 'quantifier' && tokens[last - 1]?.type === 'atom'
  return repeatsAtom ? tokens.toSpliced(last, 1) : tokens
}

/** Returns true if a search can take more than linear time. An expression without `^` is tried at each position. */
function isSlow(regex: RegExp): boolean {
  return alternativesOf(regex).some((tokens) => {
    const source = withoutEnd(tokens)
      .map(({ text }) => text)
      .join('')
    const isAnchored = regex.sticky || (tokens[0]?.text === '^' && !regex.multiline)
    const whole = new RegExp(isAnchored ? source : `[^]*(?:${source})`, regex.flags.replace(/[gy]/g, ''))
    return backtrackingOf(whole).growth !== 'linear'
  })
}

/** Returns the regular expressions of a module. */
function expressionsIn(file: string): RegExp[] {
  const code = stripTypeScriptTypes(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'))
  const found: RegExp[] = []
  const tokens: Iterable<Token> = tokenizer(code, { ecmaVersion: 'latest', sourceType: 'module' })
  for (const { type, start, end } of tokens) {
    const [, source, flags] = /^\/(.*)\/(\w*)$/s.exec(type.label === 'regexp' ? code.slice(start, end) : '') ?? []
    if (source !== undefined) found.push(new RegExp(source, flags))
  }
  return found
}

describe('the regular expressions of src', () => {
  for (const slow of [/x+$/, /^a+|a+$/g, /\s*=/, /\s*,\s*/, /<[^>]*>/, /^(.*)=(.*);/, /^(?:a|b)*b?a*$/, /a*a*b/y]) {
    it(`would be refused if one were ${slow}`, () => assert.equal(isSlow(slow), true))
  }
  for (const fast of [/^x+$/, /\/\d+$/, /,\s*/, /\s+/g, /(?:^|,)\s*a\s*(?:,|$)/, /<[^<>]*>/, /x+y/y]) {
    it(`may be like ${fast}`, () => assert.equal(isSlow(fast), false))
  }

  it('take linear time on the text of a request', () => {
    const known = new Set(SHORT.map(String))
    const files = globSync('src/**/*.ts', { cwd: new URL('../', import.meta.url) })
    const slow = files
      .filter((file) => !OWN_TEXTS.test(file))
      .flatMap((file) =>
        expressionsIn(file)
          .filter(isSlow)
          .map((regex) => [file, String(regex)]),
      )
    assert.deepEqual(
      slow.filter(([, regex = '']) => !known.has(regex)),
      [],
    )
  })
})
