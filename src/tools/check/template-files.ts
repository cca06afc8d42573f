/**
 * The templates of an application, and the names in them.
 *
 * @module
 */
import { findTags, TemplateSyntaxError } from '../../http/templating/compile.ts'
import { placeOf } from '../../http/templating/eta.ts'
import {
  candidateFiles,
  nearestTemplate,
  TemplateNameError,
  type TemplateSource,
} from '../../http/templating/sources.ts'
import { programOf } from '../../http/templating/syntax.ts'
import type { Place } from './model.ts'
import { parseScript } from './parse.ts'
import {
  is,
  isFunctionNode,
  memberName,
  nodesIn,
  objectEntries,
  type SyntaxNode,
  stringOf,
  unwrap,
} from './syntax.ts'

/** A name that a template passes to a function. */
export interface TemplateCall {
  /** A template that is included or a layout, a route in `it.url()`, or a message in `it.t()`. */
  readonly kind: 'template' | 'route' | 'message'
  readonly name: string
  readonly place: Place
  /** The second argument. */
  readonly values: SyntaxNode | undefined
}

/** The calls in one template. */
export interface TemplateCode {
  readonly file: string
  readonly calls: readonly TemplateCall[]
  /** The functions among `url` and `t` to which it gives another meaning. */
  readonly replaces: ReadonlySet<string>
}

/** Functions of templates whose first argument is the name of a template. */
const INCLUDING: ReadonlySet<string> = new Set(['include', 'includeAsync', 'layout'])

/** Reads templates. */
export class TemplateFiles {
  readonly #source: TemplateSource

  constructor(source: TemplateSource) {
    this.#source = source
  }

  /** Whether there is no template at all. */
  get isEmpty(): boolean {
    return this.#source.names().length === 0
  }

  /**
   * Returns the reason why a name means no template, or undefined if it means one.
   *
   * @param from - the template with the name.
   */
  faultOf(
    name: string,
    from?: string,
  ): { readonly reason: string; readonly meant: string | undefined } | undefined {
    try {
      const files = candidateFiles(name, from)
      if (files.some((file) => this.#source.read(file) !== undefined)) return undefined
    } catch (error) {
      if (!(error instanceof TemplateNameError)) throw error
      return { reason: error.message.replace(/^.*? is not a template name: /, ''), meant: undefined }
    }
    return { reason: 'it does not exist', meant: nearestTemplate(name, this.#source.names()) }
  }

  /** Returns the code of all templates that can be parsed. */
  *code(): Iterable<TemplateCode> {
    for (const file of this.#source.names()) {
      const text = this.#source.read(file)
      const code =
        text === undefined || !/<%/.test(text) ? undefined : codeOf(file, this.#source.path(file), text)
      if (code !== undefined) yield code
    }
  }
}

function codeOf(file: string, path: string, text: string): TemplateCode | undefined {
  try {
    const tags = findTags(text)
    const program = programOf(tags)
    const nodes = nodesIn(parseScript(program.text))
    const place = (node: SyntaxNode): Place => {
      const index = program.starts.findLastIndex((start) => start <= node.start)
      const offset = (tags[index]?.offset ?? 0) + node.start - (program.starts[index] ?? 0)
      return { file: path, ...placeOf(text, offset) }
    }
    const calls = nodes.flatMap((node): TemplateCall[] => {
      if (!is(node, 'CallExpression')) return []
      const [first, values] = node.arguments
      if (first === undefined) return []
      const kind = kindOf(node.callee)
      return kind === undefined
        ? []
        : literalsOf(first).map((one) => ({ kind, name: one.name, place: place(one.node), values }))
    })
    const replaces = ['url', 't'].filter((name) => nodes.some((node) => replacesMember(node, name)))
    return { file, calls, replaces: new Set(replaces) }
  } catch (error) {
    // A text that is not a template is reported when it is rendered.
    if (error instanceof TemplateSyntaxError || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Functions of `it` whose first argument is a name. */
const MEMBERS: ReadonlyMap<string | undefined, 'route' | 'message'> = new Map([
  ['url', 'route'],
  ['t', 'message'],
])

function kindOf(callee: SyntaxNode): TemplateCall['kind'] | undefined {
  const node = unwrap(callee)
  if (is(node, 'Identifier')) return INCLUDING.has(node.name) ? 'template' : undefined
  if (!is(node, 'MemberExpression')) return undefined
  const owner = unwrap(node.object)
  if (is(owner, 'Identifier')) return owner.name === 'it' ? MEMBERS.get(memberName(node)) : undefined
  return memberName(node) === 'current' && kindOf(owner) === 'route' ? 'route' : undefined
}

/** Returns the literal texts that an argument may be: one, or both of a conditional expression. */
export function literalsOf(argument: SyntaxNode): { readonly name: string; readonly node: SyntaxNode }[] {
  const node = unwrap(argument)
  if (is(node, 'ConditionalExpression'))
    return [...literalsOf(node.consequent), ...literalsOf(node.alternate)]
  const name = stringOf(node)
  return name === undefined ? [] : [{ name, node }]
}

/** Returns true for a function or a variable named `it`, and for values with a name, such as `url`. */
function replacesMember(node: SyntaxNode, name: string): boolean {
  const isIt = (pattern: SyntaxNode) =>
    nodesIn(pattern).some((one) => is(one, 'Identifier') && one.name === 'it')
  if (isFunctionNode(node)) return node.params.some(isIt)
  if (is(node, 'VariableDeclarator')) return isIt(node.id)
  if (is(node, 'AssignmentExpression')) return memberName(unwrap(node.left)) === name
  return (
    is(node, 'CallExpression') &&
    node.arguments.some((given) => objectEntries(given)?.entries.has(name) === true)
  )
}
