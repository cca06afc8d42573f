/** The pages of the site: Markdown files of the repository, by the paths at which the site shows them. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const manifest: { homepage: string; version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** The address of the site, from `package.json`. */
export const HOME = manifest.homepage

/** The version that the site describes. */
export const VERSION = manifest.version

/** A page of the site. */
export interface Page {
  /** The path on the site, without extension: `guides/sessions`. */
  readonly route: string
  /** The file that the page is made of, in the repository. Links are relative to it. */
  readonly source: string
  readonly title: string
  readonly text: string
}

/** Files outside of `docs/`, and where the site shows them. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['README.md', 'index'],
  ['examples/README.md', 'examples'],
  ['CHANGELOG.md', 'project/changelog'],
  ['ARCHITECTURE.md', 'project/architecture'],
  ['CONTRIBUTING.md', 'project/contributing'],
  ['SECURITY.md', 'project/security'],
])

/** Reads all pages of the repository. */
export function repositoryPages(): Page[] {
  const docs = globSync('docs/**/*.md', { cwd: ROOT, exclude: ['docs/site/**'] })
  const files = [...OTHERS.keys(), ...docs.map((file) => file.replaceAll('\\', '/'))]
  return files
    .filter((file) => existsSync(join(ROOT, file)))
    .map((source) => {
      const file = readFileSync(join(ROOT, source), 'utf8')
      const text = source === 'examples/README.md' ? withExamples(file) : file
      const route = OTHERS.get(source) ?? source.replace(/^docs\//, '').replace(/\.md$/, '')
      return { route: route.replace(/\bREADME$/, 'index'), source, title: titleOf(text, route), text }
    })
}

/** Returns the page of examples with the files that it links to. */
function withExamples(text: string): string {
  const files = [...text.matchAll(/\]\(([\w-]+\.ts)\)/g)].map(([, file = '']) => file)
  const linked = text.replaceAll(/\]\(([\w-]+\.ts)\)/g, (_, file) => `](#${anchorOf(file)})`)
  const sections = files.map((file) => {
    const code = readFileSync(join(ROOT, 'examples', file), 'utf8')
    return `## ${file}\n\n\`\`\`ts\n${code}\`\`\`\n`
  })
  return `${linked}\n${sections.join('\n')}`
}

/** Returns the first heading as plain text. */
export function titleOf(text: string, otherwise: string): string {
  return plainText(/^# (.+)$/m.exec(text)?.[1] ?? otherwise)
}

/** Removes the notation of Markdown from a line. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .trim()
}

/** Returns the anchor of a heading as GitHub makes it, so that links work in both places. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}
