import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const file = new URL('../public/style.css', import.meta.url)

/** The stylesheet of all pages. */
export interface Stylesheet {
  readonly text: string
  /** Hash of the text. It is part of the URL, so browsers can cache the stylesheet without a time limit. */
  readonly version: string
}

let cached: Stylesheet | undefined

/** Reads the stylesheet. Returns a cached copy unless `fresh` is true. */
export function stylesheet(fresh: boolean): Stylesheet {
  if (cached === undefined || fresh) {
    const text = readFileSync(file, 'utf8')
    cached = { text, version: createHash('sha256').update(text).digest('hex').slice(0, 12) }
  }
  return cached
}
