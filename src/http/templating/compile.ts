/**
 * Compiles a template to a function, by Eta.
 *
 * @module
 */

import { Eta, EtaParseError } from 'eta/core'
import { isPromise } from '../../base/promise.ts'
import { findSyntaxFault, hasAwait, type SyntaxFault, type Tag } from './syntax.ts'

/** The options of one run of a template. Eta passes them on to `include` and reports `filepath` with an error. */
export interface Frame {
  readonly filepath: string
  readonly depth: number
  /** The block that is rendered, if not all of the template is. */
  readonly fragment?: Fragment | undefined
  /** Whether text is written as it is. Default false: it is escaped. */
  readonly isPlain?: boolean
}

/** The `this` of a compiled template, as Eta's code uses it. */
export interface Runtime {
  readonly config: { escapeFunction(value: unknown): string; filterFunction(value: unknown): string }
  render(name: string, values: Record<string, unknown>, frame: Frame): string | Promise<string>
  renderAsync(name: string, values: Record<string, unknown>, frame: Frame): Promise<string>
  /** Returns the text of a block where it is written: empty if it is shown by the layout. */
  block(
    name: string,
    run: (() => string | Promise<string>) | undefined,
    state: BlockState,
    values: Record<string, unknown>,
    frame: Frame,
  ): string | Promise<string>
  /** Throws the error of the tag that begins on `line`. */
  RuntimeErr(error: unknown, text: string, line: number, file: string): never
}

/** A compiled template. */
export type TemplateFunction = (
  this: Runtime,
  values: Record<string, unknown>,
  frame: Frame,
) => string | Promise<string>

/** A syntax error and its offset in the template. */
export class TemplateSyntaxError extends SyntaxError {
  override readonly name = 'TemplateSyntaxError'
  readonly offset: number

  constructor(fault: SyntaxFault) {
    super(fault.reason)
    this.offset = fault.offset
  }
}

const NO_CODE_FROM_TEXT =
  'This runtime does not compile functions from text after start-up. Give the templates as a record and create the ' +
  'application while the program starts, or give a template engine whose templates are functions already.'

// In debug mode the compiled code records the line of each tag. A line feed ends a comment at the end of a tag. The
// variable in the header may be declared again by a template.
const eta = new Eta({
  debug: true,
  functionHeader: 'var asset = it.asset',
  plugins: [
    {
      processAST: (parts) => parts.map((part) => (typeof part === 'string' ? part : { ...part, val: `${part.val}\n` })),
    },
  ],
})

// Eta's own block() writes nothing in a template with a layout, even if the layout does not have the block. Eta
// passes the blocks of a page to its layout only.
const BLOCKS = `block=(name,fn)=>this.block(name,fn&&(()=>capture(fn)),__eta,it,options)
blockAsync=async(name,fn)=>this.block(name,fn&&(()=>captureAsync(fn)),__eta,it,options)
Object.assign(__eta.blocks,it.__blocks)
if(options.fragment)layout=()=>{}
`

const BLOCK_STATEMENT = /^\s*(?:await\s+)?block(?:Async)?\s*\(/

/** Compiles templates with blocks or a layout. `<% block(…) %>` writes the block, as `<%~ block(…) %>` does. */
const etaWithBlocks = new Eta({
  ...eta.config,
  plugins: [
    ...eta.config.plugins,
    {
      processAST: (parts) => [
        { t: 'e', val: BLOCKS, lineNo: 1 },
        ...parts.map((part) =>
          typeof part !== 'string' && part.t === 'e' && BLOCK_STATEMENT.test(part.val)
            ? { ...part, t: 'r' as const }
            : part,
        ),
      ],
    },
  ],
})

const AsyncFunction = (async () => {}).constructor

/**
 * Compiles a template: to an async function if its code awaits.
 *
 * @throws TemplateSyntaxError - the text is not a template.
 * @throws Error - the runtime does not compile functions from text.
 */
export function compileTemplate(text: string): TemplateFunction {
  const tags = findTags(text)
  const async = hasAwait(tags)
  const FunctionOfKind = async ? AsyncFunction : Function
  const compiler = /\b(?:block|layout)/.test(text) ? etaWithBlocks : eta
  try {
    return FunctionOfKind('it', 'options', compiler.compileToString(text, { async }))
  } catch (error) {
    if (error instanceof EvalError) throw new Error(NO_CODE_FROM_TEXT, { cause: error })
    if (!(error instanceof SyntaxError)) throw error
    throw new TemplateSyntaxError(findSyntaxFault(tags, error.message))
  }
}

const OPENING = /<%[-_]?\s*([=~])?\s*/g

/**
 * Returns the tags with their offsets, which Eta's parser leaves out. They occur in the text in the same order.
 *
 * @throws TemplateSyntaxError - the text is not a template.
 */
export function findTags(text: string): Tag[] {
  const tags: Tag[] = []
  let from = 0
  for (const part of parse(text)) {
    if (typeof part === 'string') continue
    OPENING.lastIndex = from
    const opening = OPENING.exec(text)
    if (opening === null) throw new Error('Eta returned a tag that is not in the text.')
    const mark = opening[1]
    const offset = OPENING.lastIndex
    const code = part.val.slice(0, -1)
    tags.push({ kind: mark === '=' || mark === '~' ? mark : '', code, offset })
    from = offset + code.length
  }
  return tags
}

function parse(text: string): ReturnType<Eta['parse']> {
  try {
    return eta.parse(text)
  } catch (error) {
    if (!(error instanceof EtaParseError)) throw error
    const [, reason = error.message, line, column] = /^(.*?) at line (\d+) col (\d+):/s.exec(error.message) ?? []
    throw new TemplateSyntaxError({ reason, offset: offsetOf(text, Number(line ?? 1), Number(column ?? 1)) })
  }
}

/** Returns the offset of a line and column, both counted from 1. */
function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1)
  return before.reduce((length, each) => length + each.length + 1, 0) + column - 1
}

/** Eta's state of one run of a template. */
interface BlockState {
  /** Name of the layout, once the template has called `layout()`. */
  readonly layout?: string
  /** Texts of the blocks that the layout receives. */
  readonly blocks: Record<string, string>
}

/** The key of a template's values under which Eta passes blocks to the layout. */
const PASSED = '__blocks'

/** The one block that is rendered. */
export class Fragment {
  readonly name: string
  /** Text of the block, once it was reached. */
  text: string | undefined = undefined

  constructor(name: string) {
    this.name = name
  }
}

/** Ends the run of a template whose {@link Fragment} is complete. */
export class FragmentComplete extends Error {
  override readonly name = 'FragmentComplete'
}

/**
 * Returns the text of a block where it is written.
 *
 * @param run - renders the content; undefined for a block without content of its own.
 * @param isInLayout - returns true if the layout has a block of a name.
 * @throws FragmentComplete - the block is the one that is rendered.
 */
export function placeBlock(
  name: string,
  run: (() => string | Promise<string>) | undefined,
  state: BlockState,
  values: Readonly<Record<string, unknown>>,
  fragment: Fragment | undefined,
  isInLayout: (name: string) => boolean,
): string | Promise<string> {
  const finish = (text: string): string => {
    if (fragment?.name === name && run !== undefined) {
      fragment.text = text
      throw new FragmentComplete()
    }
    if (state.layout === undefined) return text
    state.blocks[name] = text
    return isInLayout(name) ? '' : text
  }
  // A page passes its blocks to its layout, which passes them on to its own.
  const passed = values[PASSED]
  if (typeof passed === 'object' && passed !== null && Object.hasOwn(passed, name)) {
    const text: unknown = Reflect.get(passed, name)
    return finish(typeof text === 'string' ? text : '')
  }
  const text = run?.() ?? ''
  return isPromise(text) ? text.then(finish) : finish(text)
}

const BLOCK = /\bblock(?:Async)?\s*\(\s*(['"`])(.*?)\1/g
const TEMPLATE = /\b(?:include|includeAsync|layout)\s*\(\s*(['"`])(.*?)\1/g

/** Returns the names of the blocks in the text of a template. */
export function blockNames(text: string): string[] {
  return [...text.matchAll(BLOCK)].map(([, , name = '']) => name)
}

/** Returns the names of the templates that a template includes or has as its layout. */
export function templateNames(text: string): string[] {
  return [...text.matchAll(TEMPLATE)].map(([, , name = '']) => name)
}
