/**
 * Syntax of TypeScript that is more than types, which Node does not run.
 *
 * @module
 */
import { isConstAssertion } from '../expressions.ts'
import type { Finding } from '../finding.ts'
import { placeOf } from '../model.ts'
import { modulesInOrder } from '../module-graph.ts'
import type { SourceModule } from '../modules.ts'
import { is, nodesIn, type SyntaxNode } from '../syntax.ts'
import type { Project } from './rule.ts'

/** Checks the files of the application and all modules that they import. */
export function* checkSyntax({ entries, modules }: Pick<Project, 'entries' | 'modules'>): Iterable<Finding> {
  // With --experimental-transform-types Node runs all of TypeScript.
  if (process.features.typescript === 'transform') return
  for (const module of modulesInOrder(entries, modules).keys()) {
    if (/\.[mc]?ts$/.test(module.path)) yield* findingsIn(module)
  }
}

function* findingsIn(module: SourceModule): Iterable<Finding> {
  for (const node of nodesIn(module.tree, (inner) => !isDeclared(inner))) {
    const fault = faultOf(node)
    if (fault === undefined) continue
    yield {
      code: 'syntax-unsupported',
      place: placeOf(module, node),
      message: `Node does not run ${fault.what}, because it only removes types.`,
      fix: fault.fix,
    }
  }
}

interface Fault {
  readonly what: string
  readonly fix: string
}

function faultOf(node: SyntaxNode): Fault | undefined {
  if (is(node, 'TSEnumDeclaration')) {
    const { name } = node.id
    return { what: `the enum ${name}`, fix: `Write an object: const ${name} = { … } as const.` }
  }
  if (is(node, 'TSModuleDeclaration')) {
    if (!hasValues(node)) return undefined
    const name = is(node.id, 'Identifier') ? node.id.name : 'with a name in quotes'
    return { what: `the namespace ${name}`, fix: 'Write a module in a file of its own, or an object.' }
  }
  if (is(node, 'TSParameterProperty')) {
    return { what: 'a parameter property', fix: 'Declare a field, and assign it in the constructor.' }
  }
  if (is(node, 'TSImportEqualsDeclaration')) {
    return node.importKind === 'type'
      ? undefined
      : { what: 'import … =', fix: 'Write import … from, or a constant.' }
  }
  if (is(node, 'Decorator')) {
    return {
      what: 'a decorator',
      fix: 'Call decorate(this, { action: [decorator] }) in a static block of the class.',
    }
  }
  if (is(node, 'PropertyDefinition') && node.accessor === true) {
    return { what: 'an accessor field', fix: 'Write a field, or get and set.' }
  }
  if (is(node, 'TSExportAssignment')) return { what: 'export =', fix: 'Write export default.' }
  return is(node, 'TSTypeAssertion') && !isConstAssertion(node)
    ? { what: 'a type in angle brackets', fix: 'Write value as Type.' }
    : undefined
}

/** Returns true for declarations of what exists elsewhere, which Node removes. */
function isDeclared(node: SyntaxNode): boolean {
  return is(node, 'TSEnumDeclaration', 'TSModuleDeclaration') && node.declare === true
}

/** Returns true if a namespace has more than types. */
function hasValues({ body }: { readonly body: SyntaxNode }): boolean {
  if (is(body, 'TSModuleDeclaration')) return hasValues(body)
  if (!is(body, 'TSModuleBlock')) return false
  return body.body.some((statement) => {
    const declared = is(statement, 'ExportNamedDeclaration') ? statement.declaration : statement
    if (declared === null || is(declared, 'TSTypeAliasDeclaration', 'TSInterfaceDeclaration')) return false
    if (is(declared, 'TSModuleDeclaration')) return declared.declare !== true && hasValues(declared)
    return Reflect.get(declared, 'declare') !== true
  })
}
