/**
 * Fields of a request that are read as members: `form.content`, which is undefined.
 *
 * @module
 */
import { Form } from '../../../http/body/form.ts'
import { ClassFunctions } from '../class-functions.ts'
import type { Finding } from '../finding.ts'
import { type ControllerModel, placeOf, textOf } from '../model.ts'
import {
  is,
  isClassNode,
  memberName,
  namedProperties,
  nodesIn,
  type Of,
  type SyntaxNode,
  unwrap,
} from '../syntax.ts'

/** Members of `request` with the fields of the query or the body. */
const FIELDS: ReadonlySet<string | undefined> = new Set(['query', 'form', 'params'])

/** A field that code reads as a member, and the expression that has the fields. */
interface FieldRead {
  readonly node: SyntaxNode
  readonly fields: SyntaxNode
  readonly name: string
}

/** Checks that fields are read by `get()` and its relatives. */
export function* checkFields({ classes, className }: ControllerModel): Iterable<Finding> {
  for (const { node, module, label, name: action } of new ClassFunctions(classes, className).all) {
    for (const read of fieldReads(node)) {
      const text = textOf(module, read.fields)
      yield {
        code: 'field-member',
        place: placeOf(module, read.node),
        message: `${label}() reads the field "${read.name}" as a member of ${text}, which is always undefined.`,
        fix: `Write ${text}.getOne('${read.name}') if it must be sent, or ${text}.get('${read.name}'), which is undefined without it.`,
        action,
      }
    }
  }
}

function* fieldReads(root: SyntaxNode): Iterable<FieldRead> {
  const nodes = nodesIn(root, (node) => !isClassNode(node))
  const declarations = nodes.flatMap((node) => (is(node, 'VariableDeclaration') ? node.declarations : []))
  const named = new Set<string>()
  const others = new Set<string>()
  for (const { id, init } of declarations) {
    if (is(id, 'Identifier')) (init !== null && hasFields(init) ? named : others).add(id.name)
    if (is(id, 'ObjectPattern') && init !== null && hasFields(init)) yield* takenFrom(id, init)
  }
  const isFields = (node: SyntaxNode) =>
    hasFields(node) || (is(node, 'Identifier') && named.has(node.name) && !others.has(node.name))
  for (const node of nodes) {
    if (!is(node, 'MemberExpression')) continue
    const fields = unwrap(node.object)
    const name = memberName(node)
    if (isField(name) && isFields(fields)) yield { node, fields, name }
  }
}

function* takenFrom(pattern: Of<'ObjectPattern'>, fields: SyntaxNode): Iterable<FieldRead> {
  for (const [name, node] of namedProperties(pattern).entries) {
    if (isField(name)) yield { node, fields: unwrap(fields), name }
  }
}

/** Returns true for the name of a field, which is no member of the class. */
function isField(name: string | undefined): name is string {
  return name !== undefined && name !== 'files' && !(name in Form.prototype)
}

/** Returns true for `this.request.query`, `await this.request.form()` and `await this.request.params()`. */
function hasFields(expression: SyntaxNode): boolean {
  const node = unwrap(expression)
  if (is(node, 'AwaitExpression')) {
    const call = unwrap(node.argument)
    return is(call, 'CallExpression') && isOfRequest(unwrap(call.callee))
  }
  return memberName(node) === 'query' && isOfRequest(node)
}

function isOfRequest(node: SyntaxNode): boolean {
  if (!is(node, 'MemberExpression') || !FIELDS.has(memberName(node))) return false
  const owner = unwrap(node.object)
  return (
    is(owner, 'MemberExpression') &&
    memberName(owner) === 'request' &&
    is(unwrap(owner.object), 'ThisExpression')
  )
}
