import type { ProjectModules, SourceModule, UnreadableModule } from './modules.ts'
import { is } from './syntax.ts'

/**
 * Returns the modules of some files and those that they import, directly or not, each behind those that it imports.
 * Imports of types alone do not count, because Node removes them.
 *
 * @param entries - the paths of the files.
 * @returns each module with those that it imports.
 */
export function modulesInOrder(
  entries: readonly string[],
  modules: ProjectModules,
): ReadonlyMap<SourceModule, readonly SourceModule[]> {
  const found = new Map<SourceModule, readonly SourceModule[]>()
  const visited = new Set<SourceModule>()
  const visit = (module: SourceModule) => {
    if (visited.has(module)) return
    visited.add(module)
    const imported = importedBy(module, modules)
    for (const other of imported) visit(other)
    found.set(module, imported)
  }
  for (const path of entries) {
    const module = modules.get(path)
    if (module !== undefined) visit(module)
  }
  return found
}

/** Returns the first module that cannot be parsed, among a file and those that it imports, directly or not. */
export function unreadableModule(entry: string, modules: ProjectModules): UnreadableModule | undefined {
  const paths = new Set([entry])
  // A set iterates over what is added meanwhile.
  for (const path of paths) {
    const module = modules.read(path)
    if (module === undefined) continue
    if (!('tree' in module)) return module
    for (const imported of importsOf(module, modules)) paths.add(imported)
  }
  return undefined
}

function importedBy(module: SourceModule, modules: ProjectModules): SourceModule[] {
  return importsOf(module, modules).flatMap((path) => modules.get(path) ?? [])
}

function importsOf({ path, tree }: SourceModule, modules: ProjectModules): string[] {
  return tree.body.flatMap((statement) => {
    const isImport = is(statement, 'ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration')
    if (!isImport || statement.source === null || isTypeOnly(statement)) return []
    return modules.resolve(String(statement.source.value), path) ?? []
  })
}

/** Returns true for `import type` and `export type`. */
function isTypeOnly(statement: object): boolean {
  const kind: unknown = Reflect.get(statement, 'importKind') ?? Reflect.get(statement, 'exportKind')
  return kind === 'type'
}
