/**
 * Rules of `propylon shadow`: what to ignore.
 *
 * @module
 */
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { optionalPackage } from '../../base/optional-package.ts'
import { escapeRegex } from '../../base/regex.ts'

/** Parts of requests and responses that are not compared. */
export interface Rules {
  /** Paths whose requests are not sent. */
  readonly paths: readonly RegExp[]
  /** Names of header fields, in lower case. */
  readonly headers: ReadonlySet<string>
  /** Places in JSON: `items.*.time`. */
  readonly json: readonly RegExp[]
  /** CSS selectors of elements that are removed. */
  readonly html: readonly string[]
  /** Texts that are removed from bodies. */
  readonly text: readonly RegExp[]
}

/**
 * Parses rules such as `header:cache-control`, `path:/search*`, `json:items.*.time`, `html:.clock` and `text:\d+ ms`.
 *
 * @throws UsageError - a rule is of no kind, or malformed.
 */
export function rulesOf(texts: readonly string[]): Rules {
  const rules = texts.map((rule) => {
    const [, kind, value = ''] = /^(path|header|json|html|text):(.+)$/s.exec(rule) ?? []
    if (kind !== undefined) return { kind, value }
    throw new UsageError(
      `--ignore ${quoted(rule)} has no kind`,
      'begin it with path:, header:, json:, html: or text:, for instance --ignore header:cache-control',
    )
  })
  const valuesOf = (wanted: string) => rules.filter(({ kind }) => kind === wanted).map(({ value }) => value)
  return {
    paths: valuesOf('path').map((value) => globOf(value, '.*')),
    headers: new Set(valuesOf('header').map((name) => name.toLowerCase())),
    json: valuesOf('json').map((value) => globOf(value, '[^.]*')),
    html: valuesOf('html').map(selectorOf),
    text: valuesOf('text').map(expressionOf),
  }
}

/** Returns an expression for a text with `*`. */
function globOf(text: string, star: string): RegExp {
  const parts = text.split('*').map(escapeRegex)
  return new RegExp(`^${parts.join(star)}$`, 's')
}

function selectorOf(selector: string): string {
  const { compile } = optionalPackage('css-select', 'propylon shadow')
  try {
    compile(selector)
  } catch {
    throw new UsageError(`--ignore html:${selector} is not a CSS selector`, 'correct it')
  }
  return selector
}

function expressionOf(source: string): RegExp {
  try {
    return new RegExp(source, 'g')
  } catch {
    throw new UsageError(`--ignore text:${source} is not a regular expression`, 'correct it')
  }
}
