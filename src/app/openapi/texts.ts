/** Texts of a document: summaries and descriptions. */
import type { ResourceInfo } from '../../routing/route.ts'

/** Returns the text of a doc comment before its first block tag: `@throws`, `@returns`. */
export function proseOf(help: string): string {
  const lines = help.split('\n')
  const tag = lines.findIndex((line) => /^\s*@\w/.test(line))
  return (tag < 0 ? lines : lines.slice(0, tag)).join('\n').trim()
}

/** Returns the summary and the description of an operation, if there are any. */
export function describedBy(prose: string): { readonly summary?: string; readonly description?: string } {
  const summary = firstSentence(prose)
  const isWhole = prose.replace(/\.$/, '') === summary
  return { ...(summary !== '' && { summary }), ...(!isWhole && { description: prose }) }
}

/** Returns the first sentence of a text, without its full stop. Empty if the text is. */
export function firstSentence(text: string): string {
  const [paragraph = ''] = text.split(/\n\s*\n/, 1)
  const line = paragraph.replaceAll(/\s+/g, ' ').trim()
  const [sentence = ''] = line.split(/(?<=[.!?])\s/, 1)
  return sentence.replace(/\.$/, '')
}

/** Summaries of the actions of a resource. */
const OF_RESOURCE: ReadonlyMap<string, (member: string, collection: string) => string> = new Map([
  ['index', (_member, collection) => `List ${collection}`],
  ['create', (member) => `Create ${withArticle(member)}`],
  ['new', (member) => `Show the form for a new ${member}`],
  ['edit', (member) => `Show the form for ${withArticle(member)}`],
  ['update', (member) => `Update ${withArticle(member)}`],
  ['delete', (member) => `Delete ${withArticle(member)}`],
  ['show', (member) => `Show ${withArticle(member)}`],
])

function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
}

/** Returns a summary for an action without a doc comment: `Show a book`, `Search in admin books`. */
export function summaryOfAction(controller: string, action: string, resource: ResourceInfo | undefined): string {
  const ofResource = resource && OF_RESOURCE.get(action)
  if (ofResource !== undefined) return ofResource(wordsOf(resource?.member ?? ''), wordsOf(resource?.collection ?? ''))
  const words = `${wordsOf(action)} in ${wordsOf(controller)}`
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function wordsOf(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ').trim()
}
