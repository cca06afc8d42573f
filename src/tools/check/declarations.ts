/**
 * The names that a module declares, imports and exports.
 *
 * @module
 */
import {
  type ClassNode,
  is,
  isClassNode,
  isFunctionNode,
  keyName,
  type Of,
  type SyntaxNode,
} from './syntax.ts'

/** Declaration behind a name of a module. */
export type Declaration =
  | { readonly kind: 'import'; readonly from: string; readonly name: string }
  | { readonly kind: 'class'; readonly node: ClassNode }
  | { readonly kind: 'function'; readonly node: SyntaxNode }
  | {
      readonly kind: 'value'
      readonly node: SyntaxNode
      /** The annotation of the constant. */
      readonly type?: SyntaxNode | undefined
    }
  | {
      readonly kind: 'type'
      readonly node: Of<'TSTypeAliasDeclaration' | 'TSInterfaceDeclaration' | 'TSEnumDeclaration'>
    }

/** The name of an import of the whole module: `import * as name`. */
export const WHOLE_MODULE = '*'

/** The declarations and exports of a module. */
export interface Declarations {
  readonly values: ReadonlyMap<string, Declaration>
  readonly types: ReadonlyMap<string, Declaration>
  /** Declarations by exported name; those without a name of their own too. */
  readonly exports: ReadonlyMap<string, Declaration | { readonly kind: 'local'; readonly name: string }>
  /** The modules of `export * from`. */
  readonly stars: readonly string[]
}

/** Reads the declarations at the top level of a module. */
export function readDeclarations(tree: Of<'Program'>): Declarations {
  const reader = new DeclarationReader()
  for (const statement of tree.body) reader.read(statement)
  return reader
}

class DeclarationReader implements Declarations {
  readonly values = new Map<string, Declaration>()
  readonly types = new Map<string, Declaration>()
  readonly exports = new Map<string, Declaration | { readonly kind: 'local'; readonly name: string }>()
  readonly stars: string[] = []

  read(statement: SyntaxNode): void {
    if (is(statement, 'ImportDeclaration')) this.#readImport(statement)
    else if (is(statement, 'ExportNamedDeclaration')) this.#readExport(statement)
    else if (is(statement, 'ExportDefaultDeclaration')) this.#readDefault(statement.declaration)
    else if (is(statement, 'ExportAllDeclaration')) this.#readStar(statement)
    else this.#declare(statement)
  }

  /** Reads a declaration and returns the names that it declares. */
  #declare(statement: SyntaxNode): string[] {
    if (is(statement, 'VariableDeclaration')) {
      return statement.declarations.flatMap(({ id, init }) => {
        if (!is(id, 'Identifier')) return []
        // A variable that is assigned again later has no known value.
        if (init !== null && statement.kind === 'const') {
          const declaration = declarationOf(init)
          const { typeAnnotation: type } = id
          this.values.set(id.name, declaration.kind === 'value' ? { ...declaration, type } : declaration)
        }
        return [id.name]
      })
    }
    if (is(statement, 'ClassDeclaration', 'FunctionDeclaration')) {
      if (statement.id === null) return []
      const { name } = statement.id
      const declaration: Declaration = declarationOf(statement)
      this.values.set(name, declaration)
      if (isClassNode(statement)) this.types.set(name, declaration)
      return [name]
    }
    if (is(statement, 'TSTypeAliasDeclaration', 'TSInterfaceDeclaration', 'TSEnumDeclaration')) {
      const { name } = statement.id
      if (!this.types.has(name)) this.types.set(name, { kind: 'type', node: statement })
      return [name]
    }
    return []
  }

  #readImport({ specifiers, source }: Of<'ImportDeclaration'>): void {
    for (const specifier of specifiers) {
      const name = is(specifier, 'ImportSpecifier')
        ? (keyName(specifier.imported, false) ?? '')
        : is(specifier, 'ImportDefaultSpecifier')
          ? 'default'
          : WHOLE_MODULE
      const declaration = importOf(source, name)
      this.values.set(specifier.local.name, declaration)
      this.types.set(specifier.local.name, declaration)
    }
  }

  #readExport({ declaration, specifiers, source }: Of<'ExportNamedDeclaration'>): void {
    if (declaration !== null) {
      for (const name of this.#declare(declaration)) this.exports.set(name, { kind: 'local', name })
    }
    for (const { local, exported } of specifiers) {
      const name = keyName(local, false) ?? ''
      const target = source === null ? { kind: 'local' as const, name } : importOf(source, name)
      this.exports.set(keyName(exported, false) ?? '', target)
    }
  }

  #readDefault(declaration: SyntaxNode): void {
    const [name] = this.#declare(declaration)
    if (name !== undefined) this.exports.set('default', { kind: 'local', name })
    else if (is(declaration, 'Identifier')) {
      this.exports.set('default', { kind: 'local', name: declaration.name })
    } else this.exports.set('default', declarationOf(declaration))
  }

  #readStar({ exported, source }: Of<'ExportAllDeclaration'>): void {
    if (exported === null) this.stars.push(String(source.value))
    else this.exports.set(keyName(exported, false) ?? '', importOf(source, WHOLE_MODULE))
  }
}

function importOf(source: Of<'Literal'>, name: string): Declaration {
  return { kind: 'import', from: String(source.value), name }
}

function declarationOf(node: SyntaxNode): Declaration {
  if (isClassNode(node)) return { kind: 'class', node }
  return isFunctionNode(node) ? { kind: 'function', node } : { kind: 'value', node }
}
