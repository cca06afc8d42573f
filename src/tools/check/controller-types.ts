/**
 * The module from which the compiler checks the declarations of the controllers of a directory.
 *
 * @module
 */
import { dirname, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ControllerSources, exportedController } from './controllers.ts'
import type { ControllerModel, MethodModel } from './model.ts'
import type { ProjectModules } from './modules.ts'
import { is } from './syntax.ts'
import type { Wiring } from './wiring.ts'

/** Records that the compiler compares with the actions. */
const RECORDS: ReadonlySet<string> = new Set(['args', 'pages', 'results', 'statuses'])

const HEAD = `// Written by propylon check: tsc compares what controllers declare with their actions. Do not edit or commit it.`

/**
 * Returns the text of the module, or undefined if no controller in TypeScript declares anything.
 *
 * @param path - path of the module.
 */
export function controllerTypes(
  controllers: ControllerSources,
  { entries }: Wiring,
  modules: ProjectModules,
  path: string,
): string | undefined {
  const lines: string[] = []
  for (const [name, source] of controllers.sources()) {
    const entry = entries.get(name)
    if (!(source instanceof URL) || entry?.kind !== 'class' || entry.model.isService) continue
    if (!entry.model.staticEntries.some(({ record }) => RECORDS.has(record))) continue
    const file = fileURLToPath(source)
    const module = /\.m?ts$/.test(file) ? modules.get(file) : undefined
    const exported = module && exportedController(name, module)
    if (exported === undefined || exported === 'application') continue
    const type = `typeof import(${quoted(specifierOf(file, path))})[${quoted(exported.exportName)}]`
    const names = parameterNames(entry.model)
    lines.push(`  CheckedController<${names === '' ? type : `${type}, { ${names} }`}>,`)
  }
  if (lines.length === 0) return undefined
  const imports = `import type { CheckedController } from 'propylon'`
  return `${HEAD}\n${imports}\n\nexport type Controllers = [\n${lines.join('\n')}\n]\n`
}

/** Returns the names of the parameters that converters or a body supply, by action: `show: ['id'];`. */
function parameterNames(model: ControllerModel): string {
  const records = [...model.methods.values()].flatMap((method) => {
    const { converters, isComplete } = model.declaredArguments(method.name)
    // The compiler also knows the converters that the source does not write out, such as spread ones.
    const names =
      converters.size > 0 || (!isComplete && hasEntry(model, method)) ? namesOf(method) : undefined
    return names === undefined ? [] : [`${quoted(method.name)}: [${names.map(quoted).join(', ')}]`]
  })
  return records.join('; ')
}

function hasEntry({ staticEntries }: ControllerModel, method: MethodModel): boolean {
  return staticEntries.some(({ record, name }) => record === 'args' && name === method.name)
}

/** Returns the names of the parameters in order; undefined if one is destructured or takes the rest. */
function namesOf({ source }: MethodModel): string[] | undefined {
  const params = source?.node.params.filter((param) => !is(param, 'Identifier') || param.name !== 'this')
  if (params === undefined || params.length === 0) return undefined
  const names = params.flatMap((param) => {
    const target = is(param, 'AssignmentPattern') ? param.left : param
    return is(target, 'Identifier') ? [target.name] : []
  })
  return names.length === params.length ? names : undefined
}

function specifierOf(file: string, from: string): string {
  const path = relative(dirname(from), file).replaceAll(sep, '/')
  return path.startsWith('.') ? path : `./${path}`
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
