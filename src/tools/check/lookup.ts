/**
 * Looks names up through the imports and exports of modules.
 *
 * @module
 */
import { type Declaration, WHOLE_MODULE } from './declarations.ts'
import type { Located } from './model.ts'
import type { SourceModule } from './modules.ts'
import { is, memberName, type SyntaxNode, unwrap } from './syntax.ts'

/** A declaration of the project and the module that contains it. */
export interface LocalName {
  readonly kind: 'local'
  readonly module: SourceModule
  readonly declaration: Exclude<Declaration, { kind: 'import' }>
}

/** A name that a package exports, or a module that is not part of the project. */
export interface ExternalName {
  readonly kind: 'external'
  readonly from: string
  readonly name: string
}

/** A module as a whole: `import * as name`. */
interface WholeModule {
  readonly kind: 'module'
  readonly module: SourceModule
}

/** The meaning of a name, or undefined if it cannot be known. */
export type Meaning = LocalName | ExternalName | WholeModule | undefined

/** Every name is either a value or a type. */
type Space = 'values' | 'types'

/** Maximum number of re-exports that are followed. */
const MAX_DEPTH = 20

/** Returns the meaning of a name at the top level of a module. */
export function nameIn(module: SourceModule, name: string, space: Space = 'values'): Meaning {
  return followed(module, module.declarations[space].get(name), space, MAX_DEPTH)
}

/** Returns the meaning of an exported name of a module. */
export function exportOf(
  module: SourceModule,
  name: string,
  space: Space = 'values',
  depth = MAX_DEPTH,
): Meaning {
  const { exports, stars } = module.declarations
  const target = exports.get(name)
  if (target?.kind === 'local') {
    return followed(module, module.declarations[space].get(target.name), space, depth)
  }
  if (target !== undefined) return followed(module, target, space, depth)
  if (depth === 0 || name === 'default') return undefined
  for (const from of stars) {
    const other = module.project.imported(from, module.path)
    const found = other && exportOf(other, name, space, depth - 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the meaning of an expression that is a name or a member of an imported module (`ns.Base`). */
export function meaningOf(module: SourceModule, expression: SyntaxNode): Meaning {
  const node = unwrap(expression)
  if (is(node, 'Identifier')) return nameIn(module, node.name)
  const member = memberName(node)
  if (!is(node, 'MemberExpression') || member === undefined) return undefined
  const owner = meaningOf(module, node.object)
  if (owner?.kind === 'module') return exportOf(owner.module, member)
  return owner?.kind === 'external' && owner.name === WHOLE_MODULE ? { ...owner, name: member } : undefined
}

/** Returns the expression that a name means, with the module that contains it: constants are replaced by their values. */
export function constantOf(module: SourceModule, expression: SyntaxNode): Located {
  let place = { module, node: unwrap(expression) }
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const meaning = meaningOf(place.module, place.node)
    if (meaning?.kind !== 'local' || meaning.declaration.kind !== 'value') return place
    place = { module: meaning.module, node: unwrap(meaning.declaration.node) }
  }
  return place
}

/** Returns the name that an expression has in one of this package's entries, or undefined for all others. */
export function frameworkName(module: SourceModule, expression: SyntaxNode): string | undefined {
  const meaning = meaningOf(module, expression)
  return meaning?.kind === 'external' && /^propylon(?:\/|$)/.test(meaning.from) ? meaning.name : undefined
}

function followed(
  module: SourceModule,
  declaration: Declaration | undefined,
  space: Space,
  depth: number,
): Meaning {
  if (declaration === undefined) return undefined
  if (declaration.kind !== 'import') return { kind: 'local', module, declaration }
  const { from, name } = declaration
  const other = module.project.imported(from, module.path)
  if (other === undefined) return { kind: 'external', from, name }
  if (name === WHOLE_MODULE) return { kind: 'module', module: other }
  return depth === 0 ? undefined : exportOf(other, name, space, depth - 1)
}
