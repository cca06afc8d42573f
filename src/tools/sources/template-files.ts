/**
 * The templates of an application, and the names in them.
 *
 * @module
 */
import { type Node, parse } from 'acorn'
import { findTags, TemplateSyntaxError } from '../../http/templating/compile.ts'
import { placeOf } from '../../http/templating/eta.ts'
import {
  candidateFiles,
  nearestTemplate,
  TemplateNameError,
  type TemplateSource,
} from '../../http/templating/sources.ts'
import { ECMA, programOf } from '../../http/templating/syntax.ts'
import type { Place } from './sources.ts'
import { is, isFunctionNode, literalsOf, memberName, nodesIn, propertiesOf } from './syntax.ts'

/** A name that a template passes to a function. */
export interface TemplateCall {
  /** A template that is included or a layout, a route in `it.url()`, or a message in `it.t()`. */
  readonly kind: 'template' | 'route' | 'message'
  readonly name: string
  readonly place: Place
  /** The names of the values in the second argument; undefined if they are not all written out. */
  readonly values: readonly string[] | undefined
}

/** The names in one template. */
export interface TemplateCode {
  readonly file: string
  readonly text: string
  readonly calls: readonly TemplateCall[]
  /** The members of `it` that it reads, with the first place of each. Not those that it looks for by `'name' in it`. */
  readonly members: ReadonlyMap<string, Place>
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
   * Returns the reason why a name means no template, and the one that is meant; undefined if it means one.
   *
   * @param from - the template with the name.
   */
  faultOf(name: string, from?: string): { readonly reason: string; readonly meant: string | undefined } | undefined {
    try {
      const files = candidateFiles(name, from)
      if (files.some((file) => this.#source.read(file) !== undefined)) return undefined
    } catch (error) {
      if (!(error instanceof TemplateNameError)) throw error
      return { reason: error.message.replace(/^.*? is not a template name: /, ''), meant: undefined }
    }
    return { reason: 'it does not exist', meant: nearestTemplate(name, this.#source.names()) }
  }

  /** Returns the code of some templates that can be parsed: of all, or of the one that a name means. */
  code(name?: string): TemplateCode[] {
    return (name === undefined ? this.#source.names() : candidateFiles(name)).flatMap((file) => {
      const text = this.#source.read(file)
      if (text?.includes('<%') !== true) return []
      try {
        return [codeOf(file, this.#source.path(file), text)]
      } catch (error) {
        // A text that is not a template is reported when it is rendered.
        if (error instanceof TemplateSyntaxError || error instanceof SyntaxError) return []
        throw error
      }
    })
  }
}

function codeOf(file: string, path: string, text: string): TemplateCode {
  const tags = findTags(text)
  const program = programOf(tags)
  const calls: TemplateCall[] = []
  const members = new Map<string, Place>()
  const others = new Set<string | undefined>()
  const place = ({ start }: Node): Place => {
    const index = program.starts.findLastIndex((each) => each <= start)
    const offset = (tags[index]?.offset ?? 0) + start - (program.starts[index] ?? 0)
    return { file: path, ...placeOf(text, offset) }
  }
  const read = (name: string | undefined, node: Node) => {
    if (name !== undefined && !members.has(name)) members.set(name, place(node))
  }
  // Inside of functions with a parameter `it`, the name has another meaning.
  const isOther = (node: Node) => isFunctionNode(node) && node.params.some((param) => nodesIn(param).some(isIt))
  for (const node of nodesIn(parse(program.text, ECMA), (inner) => !isOther(inner))) {
    if (is(node, 'CallExpression')) {
      const [first, second] = node.arguments
      const kind = kindOf(node.callee)
      const isWritten =
        second === undefined ||
        (is(second, 'ObjectExpression') && propertiesOf(second).size === second.properties.length)
      const values = isWritten ? [...propertiesOf(second).keys()] : undefined
      for (const { name, node: literal } of kind === undefined || !first ? [] : literalsOf(first))
        if (kind !== undefined) calls.push({ kind, name, place: place(literal), values })
    } else if (is(node, 'BinaryExpression') && node.operator === 'in' && isIt(node.right)) {
      for (const { name } of literalsOf(node.left)) others.add(name)
    } else if (is(node, 'AssignmentExpression') && is(node.left, 'MemberExpression') && isIt(node.left.object)) {
      others.add(memberName(node.left))
    } else if (is(node, 'MemberExpression') && isIt(node.object)) read(memberName(node), node.property)
    else if (is(node, 'VariableDeclarator') && isIt(node.init)) {
      for (const [name, property] of propertiesOf(node.id)) read(name, property)
    }
  }
  return { file, text, calls, members: new Map([...members].filter(([name]) => !others.has(name))) }
}

function kindOf(callee: Node): TemplateCall['kind'] | undefined {
  if (is(callee, 'Identifier')) return INCLUDING.has(callee.name) ? 'template' : undefined
  if (!is(callee, 'MemberExpression')) return undefined
  const name = memberName(callee)
  if (isIt(callee.object)) return name === 'url' ? 'route' : name === 't' ? 'message' : undefined
  return name === 'current' && kindOf(callee.object) === 'route' ? 'route' : undefined
}

function isIt(node: Node | null | undefined): boolean {
  return is(node, 'Identifier') && node.name === 'it'
}
