import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const file = new URL('../public/style.css', import.meta.url)

/** The style of all pages. */
export interface Stylesheet {
  readonly text: string
  /** Differs whenever the text does: part of the URL, so that browsers may keep what they have for good. */
  readonly version: string
}

let kept: Stylesheet | undefined

/** Reads the stylesheet, once unless it is wanted fresh. */
export function stylesheet(fresh: boolean): Stylesheet {
  if (kept === undefined || fresh) {
    const text = readFileSync(file, 'utf8')
    kept = { text, version: createHash('sha256').update(text).digest('hex').slice(0, 12) }
  }
  return kept
}
