/** The text of a page in the search index. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './pages.ts'

/** Words that readers search for and that a page does not have, or not at its beginning. */
export const KEYWORDS: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(ROOT, 'docs/site/keywords.json'), 'utf8'),
)

/** Returns the text of a page that is searched: with keywords below its title, and without its links at the end. */
export function searched(text: string, path: string): string {
  const words = KEYWORDS[path.replace(/\.md$/, '')]
  const body = text.replace(/^## Next\n[\s\S]*$/m, '')
  return words === undefined ? body : body.replace(/^(# .+\n)/m, `$1\n${words}\n`)
}
