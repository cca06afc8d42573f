/** Checks that guides and reference pages link the terms of the framework where they use them first. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
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

/** Pages that explain the terms or list them, and results that programs write. */
const EXEMPT: ReadonlySet<string> = new Set(['concepts.md', 'lifecycle.md', 'benchmarks.md'])

/** Returns the text of a page without code, headings and comments. */
function proseOf(text: string): string {
  return text.replaceAll(/^ *(`{3,}).*?^ *\1 *$/gms, '').replaceAll(/<!--[\s\S]*?-->|^#.*$|`[^`\n]*`/gm, '')
}

describe('guides and reference pages link', () => {
  for (const file of globSync('docs/{guides,guides/coming-from,reference}/*.md', { cwd: ROOT })) {
    if (EXEMPT.has(basename(file))) continue
    const concepts = posix.relative(dirname(file), 'docs/guides/concepts.md')
    const prose = proseOf(readFileSync(join(ROOT, file), 'utf8'))
    for (const [term, use, section] of TERMS) {
      const at = prose.search(use)
      if (at === -1) continue
      it(`the term ${term} where ${file} uses it first`, () => {
        const line = prose.slice(at).split('\n', 1)[0] ?? ''
        assert.ok(line.includes(`](${concepts}#${section})`), line)
      })
    }
  }
})
