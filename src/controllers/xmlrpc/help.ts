/** What methods say of themselves: their `help` attribute, else the comment that stands before them. */
import { type Comment, parseExpressionAt } from 'acorn'
import type { ControllerClass } from '../metadata.ts'
import { originalMethod } from '../parameters.ts'

const comments = new WeakMap<object, ReadonlyMap<string, string>>()

/**
 * The text about a method: its attribute `help`, else its doc comment, which is found in the source text that a class
 * carries with it. A build that strips comments leaves only the attribute. Empty where there is neither.
 */
export function helpOf(controllerClass: ControllerClass, name: string, method: object): string {
  const help = Reflect.get(method, 'help') ?? Reflect.get(originalMethod(method), 'help')
  if (typeof help === 'string') return dedent(help)
  let prototype: object | null = controllerClass.prototype
  while (prototype !== null && !Object.hasOwn(prototype, name)) prototype = Object.getPrototypeOf(prototype)
  const owner: unknown = prototype?.constructor
  return typeof owner === 'function' ? (docComments(owner).get(name) ?? '') : ''
}

/** The doc comments of a class's methods by name. */
export function docComments(owner: object): ReadonlyMap<string, string> {
  let known = comments.get(owner)
  if (known === undefined) {
    known = read(Function.prototype.toString.call(owner))
    comments.set(owner, known)
  }
  return known
}

function read(source: string): ReadonlyMap<string, string> {
  const text = `(${source})`
  const found: Comment[] = []
  const docs = new Map<string, string>()
  let node: ReturnType<typeof parseExpressionAt>
  try {
    node = parseExpressionAt(text, 0, { ecmaVersion: 'latest', checkPrivateFields: false, onComment: found })
  } catch (error) {
    // Syntax that is newer than the parser: the methods work as well without their comments.
    if (error instanceof SyntaxError) return docs
    throw error
  }
  if (node.type !== 'ClassExpression') return docs
  let end = node.body.start + 1
  for (const member of node.body.body) {
    if (member.type === 'MethodDefinition' && !member.static && !member.computed) {
      const doc = found.findLast(
        (comment) => isDoc(comment) && comment.start >= end && comment.end <= member.start,
      )
      const { key } = member
      const name =
        key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : undefined
      if (doc !== undefined && name !== undefined) docs.set(name, clean(doc.value))
    }
    end = member.end
  }
  return docs
}

function isDoc(comment: Comment): boolean {
  return comment.type === 'Block' && comment.value.startsWith('*')
}

/** A doc comment's text without the asterisks before its lines. */
function clean(comment: string): string {
  const lines = comment.slice(1).split(/\r?\n/)
  return dedent(lines.map((line) => line.replace(/^\s*\*(?: |$)?/, '')).join('\n'))
}

/** Text without the indentation that its lines but the first have in common, and without blank lines round it. */
export function dedent(text: string): string {
  const [first = '', ...rest] = text.split(/\r?\n/)
  const indents = rest
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length)
  const common = indents.length === 0 ? 0 : Math.min(...indents)
  const lines = [first.trim(), ...rest.map((line) => line.slice(common).trimEnd())]
  return lines
    .join('\n')
    .replace(/^\n+|\n+$/g, '')
    .trimEnd()
}
