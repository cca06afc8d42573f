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
 * - `data`: any other language: output, templates, configuration.
 * - `unmarked`: commands without `$ `, which is an error.
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

/** A fence with its code, or a frame. */
const PARTS =
  /^<!-- frame\n(?<frame>[\s\S]*?)^-->$|^(?<fence>`{3,})(?<info>.*)\n(?<code>[\s\S]*?)^\k<fence>$/gm

/** A paragraph that begins with the name of a file: "`app.ts`", "`app.ts`, with Redis:". */
const NAMED = /(?:^|\n)`(?<file>[\w-][\w./-]*\.\w+)`[^.\n]*\n\n$/

/** Returns the page at a path from the root. */
export function pageAt(path: string): Page {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const blocks: Block[] = []
  let frame: string | undefined
  for (const { index, groups = {} } of text.matchAll(PARTS)) {
    if (groups.frame !== undefined) {
      frame = groups.frame
      continue
    }
    const [language = '', ...words] = (groups.info ?? '').trim().split(/\s+/)
    const code = groups.code ?? ''
    blocks.push({
      page: path,
      line: text.slice(0, index).split('\n').length,
      language,
      kind: kindOf(language, words, code),
      code,
      file: NAMED.exec(text.slice(0, index))?.groups?.file ?? /^\/\/ (\S+\.\w+)\n/.exec(code)?.[1],
      frame: words.includes('fragment') ? frame : undefined,
    })
  }
  return { path, text, blocks, isWalk: /^<!-- walk -->$/m.test(text) }
}

function kindOf(language: string, words: readonly string[], code: string): Kind {
  if (language !== 'sh' && !CODE.includes(language)) return 'data'
  if (words.includes('fragment')) return 'fragment'
  if (language !== 'sh') return 'run'
  return code.startsWith('$ ') ? 'shell' : 'unmarked'
}

/** Returns the pages that match a pattern, in order. */
export function pagesIn(...patterns: string[]): Page[] {
  return globSync(patterns, { cwd: ROOT }).sort().map(pageAt)
}

/** Pages whose blocks are tested. Decisions are records, and dependencies.md has no code. */
export const PAGES = ['README.md', 'docs/guides/**/*.md', 'docs/reference/**/*.md']

/** Returns a fragment in its frame, and any other block as it is. */
export function framed({ code, frame }: Block): string {
  return frame === undefined ? code : frame.replace(/^ *…$/m, () => code)
}
