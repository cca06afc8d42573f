/** Writes llms.txt of the package: the pages of the documentation with a summary of each, linked as they lie in it. */
import { writeFileSync } from 'node:fs'
import { llmsList } from '../docs/site/llms.ts'
import { navigation } from '../docs/site/navigation.ts'
import { type Page, repositoryPages } from '../docs/site/pages.ts'

/** Returns the text of llms.txt. */
export function packedList(): string {
  const pages = repositoryPages()
  const home = pages.find(({ route }) => route === 'index')
  if (home === undefined) throw new Error('There is no README.md')
  return llmsList(home, navigation(pages), ({ source }: Page) => source)
}

if (import.meta.main) writeFileSync(new URL('../llms.txt', import.meta.url), packedList())
