/** The code blocks of the documentation, and what the tests do with each. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of this package. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * The treatment of a block:
 *
 * - `run`: a module. It runs, and its `// → …` comments are compared.
 * - `shell`: commands after `$ `. They run, and the lines below each are compared with what it prints.
 * - `fragment`: marked by the word `fragment` after the language. It is compiled in its frame, a comment
 *   `<!-- frame … -->` above it in which a line `…` stands for the block, or as a module of its own.
 * - `data`: a language of `DATA`: output, templates, configuration.
 * - `unmarked`: anything else, which is an error: commands without `$ `, a language that is not in these lists, and a module
 *   or fragment without a file name on a page that is followed word for word, where nothing would run it.
 */
export type Kind = 'run' | 'shell' | 'fragment' | 'data' | 'unmarked'

/** A code block of a page. */
export interface Block {
  /** Path of the page from the root. */
  readonly page: string
  /** Line of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  readonly kind: Kind
  readonly code: string
  /** Path of the file that the block is, if the line above it or its first line names one. */
  readonly file: string | undefined
  /** Text around a fragment, with a line `…` for the fragment. */
  readonly frame: string | undefined
}

/** A page of the documentation. */
export interface Page {
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
  /** Whether the page is followed word for word, from an empty folder (`<!-- walk -->`). */
  readonly isWalk: boolean
}

const CODE = ['ts', 'js']

/** Languages of blocks that are shown, not run. */
const DATA = ['css', 'diff', 'html', 'ini', 'json', 'nginx', 'php', 'python', 'text']

/** A fence with its code, which may be indented as a part of a list, or a frame. */
const PARTS =
  /^<!-- frame\n(?<frame>[\s\S]*?)^-->$|^(?<indent> *)(?<fence>`{3,}|~{3,})(?<info>.*)\n(?<code>[\s\S]*?)^ *\k<fence>$/gm

/** A paragraph that begins with the name of a file: "`app.ts`", "`app.ts`, with Redis:". `…` stands for a part of the name. */
const NAMED = /(?:^|\n)`(?<file>[\w-][\w./…-]*\.\w+|Dockerfile|\.dockerignore)`[^.\n]*\n\n$/

/** Returns the page at a path from the root. */
export function pageAt(path: string): Page {
  return pageOf(path, readFileSync(join(ROOT, path), 'utf8'))
}

/** Returns the page of a text. */
export function pageOf(path: string, text: string): Page {
  const isWalk = /^<!-- walk -->$/m.test(text)
  const blocks: Block[] = []
  let frame: string | undefined
  for (const { index, groups = {} } of text.matchAll(PARTS)) {
    if (groups.frame !== undefined) {
      frame = groups.frame
      continue
    }
    const [language = '', ...words] = (groups.info ?? '').trim().split(/\s+/)
    const code = (groups.code ?? '').replaceAll(new RegExp(`^${groups.indent ?? ''}`, 'gm'), '')
    const file = NAMED.exec(text.slice(0, index))?.groups?.file ?? /^\/\/ (\S+\.\w+)\n/.exec(code)?.[1]
    const kind = kindOf(language, words, code)
    blocks.push({
      page: path,
      line: text.slice(0, index).split('\n').length,
      language,
      kind: isWalk && isCode(language) && (kind === 'fragment' || file === undefined) ? 'unmarked' : kind,
      code,
      file,
      frame: words.includes('fragment') ? frame : undefined,
    })
  }
  return { path, text, blocks, isWalk }
}

function isCode(language: string): boolean {
  return CODE.includes(language)
}

function kindOf(language: string, words: readonly string[], code: string): Kind {
  if (DATA.includes(language)) return 'data'
  if (language !== 'sh' && !isCode(language)) return 'unmarked'
  if (words.includes('fragment')) return 'fragment'
  if (language !== 'sh') return 'run'
  return code.startsWith('$ ') ? 'shell' : 'unmarked'
}

/** Returns the pages that match a pattern, in order. */
export function pagesIn(...patterns: string[]): Page[] {
  return globSync(patterns, { cwd: ROOT }).sort().map(pageAt)
}

/** Pages outside of the guides and the reference. Decisions are records; test/interop/recipes runs the recipes. */
export const OTHER_PAGES = [
  '{AGENTS,ARCHITECTURE,CHANGELOG,CONTRIBUTING,SECURITY}.md',
  '{create-propylon,examples}/README.md',
].concat(['docs/*.md', 'docs/contributing/*.md'])

/** Pages whose blocks are tested. */
export const PAGES = ['README.md', 'docs/guides/**/*.md', 'docs/reference/**/*.md', ...OTHER_PAGES]

/** Returns a fragment in its frame, and any other block as it is. */
export function framed({ code, frame }: Block): string {
  return frame === undefined ? code : frame.replace(/^ *…$/m, () => code)
}
