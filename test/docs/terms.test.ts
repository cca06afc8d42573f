/** Checks that the guides link the terms of the framework where they use them first. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { ROOT } from './blocks.ts'

/** Terms that a reader of other frameworks may not know, with the sections of the concepts that explain them. */
const TERMS: readonly (readonly [term: string, use: RegExp, section: string])[] = [
  ['environ', /\benviron\b/i, 'environ'],
  ['mount point', /\bmount points?\b/i, 'mount-point'],
  ['match', /\b(?:the|a|its) \[?match\b/i, 'route-and-match'],
  ['guard', /\b(?:the|a|its|each) \[?guards?\b/i, 'hooks-and-guards'],
  ['face', /\bfaces?\b/i, 'service-and-face'],
]

/** Pages that explain the terms, or list them. */
const EXPLAINED: ReadonlySet<string> = new Set(['concepts.md', 'lifecycle.md'])

/** Returns the text of a page without code, headings and comments. */
function proseOf(text: string): string {
  return text.replaceAll(/^ *(`{3,}).*?^ *\1 *$/gms, '').replaceAll(/<!--[\s\S]*?-->|^#.*$|`[^`\n]*`/gm, '')
}

describe('the guides link', () => {
  for (const file of globSync('docs/guides/*.md', { cwd: ROOT })) {
    if (EXPLAINED.has(basename(file))) continue
    const prose = proseOf(readFileSync(join(ROOT, file), 'utf8'))
    for (const [term, use, section] of TERMS) {
      const at = prose.search(use)
      if (at === -1) continue
      it(`the term ${term} where ${file} uses it first`, () => {
        const line = prose.slice(at).split('\n', 1)[0] ?? ''
        assert.ok(line.includes(`](concepts.md#${section})`), line)
      })
    }
  }
})
