/**
 * The controllers of an application, with their sources where these can be found.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
import { controllerClassName, isControllerClass, type LoadedController } from '../../app/loaded-controller.ts'
import type { ControllerRegistry } from '../../app/registry.ts'
import { syntaxFaultLine, syntaxFaultOf } from '../../app/syntax-fault.ts'
import { withoutCode } from '../../base/error-code.ts'
import { errorMessage, errorSummary, isInstance, memberOf } from '../../base/thrown.ts'
import type { ControllerClass } from '../../controllers/controller-class.ts'
import { DeclarationError } from '../../controllers/vocabulary.ts'
import { classOf } from './class-chain.ts'
import { exportOf } from './lookup.ts'
import {
  type BrokenController,
  type ControllerEntry,
  type KnownController,
  type Located,
  type Place,
  placeOf,
} from './model.ts'
import type { ProjectModules, SourceModule } from './modules.ts'
import { completed, reflectedController } from './reflection.ts'
import { remembered } from './remembered.ts'
import { readController } from './source-controller.ts'
import { type ClassNode, is, isClassNode, keyName, nodesIn, stringOf } from './syntax.ts'

/** The controllers of an application by name. */
export type ControllerSources = Pick<ControllerRegistry, 'find' | 'sources'> &
  Partial<Pick<ControllerRegistry, 'onLoad'>>

/** Options for reading controllers. */
export interface ReadOptions {
  /** The module that creates the application. Classes of a record are looked for in it and in its imports. */
  readonly entry: string | undefined
  /** Whether to load a controller whose source does not say everything. */
  readonly loads: boolean
}

/** Reads the controllers of an application. Most need not be loaded. */
export async function readControllers(
  controllers: ControllerSources,
  modules: ProjectModules,
  { entry, loads }: ReadOptions,
): Promise<ControllerEntry[]> {
  const reached = remembered((path: string | undefined) => reachedFiles(modules, path))
  const entries: ControllerEntry[] = []
  for (const [name, source] of controllers.sources()) {
    const load = async () =>
      loads || isControllerClass(source) ? await loadController(controllers, name) : undefined
    const read =
      source instanceof URL
        ? await fromFile(name, load, source, modules)
        : await fromRecord(name, load, modules, () => reached(entry))
    entries.push({ ...read, name })
  }
  return entries
}

/**
 * Loads a controller, or returns the reason why it does not load. A class that declares what nothing reads is returned: rules report
 * its declarations with their places.
 */
export async function loadController(
  controllers: ControllerSources,
  name: string,
): Promise<LoadedController | BrokenController> {
  try {
    return (await controllers.find(name)) ?? { kind: 'broken', reason: 'it does not exist' }
  } catch (error) {
    const cause = memberOf(error, 'cause')
    return isInstance(cause, DeclarationError) && isControllerClass(cause.controllerClass)
      ? { kind: 'class', controllerClass: cause.controllerClass }
      : loadFault(error)
  }
}

async function loadFault(error: unknown): Promise<BrokenController> {
  const cause = memberOf(error, 'cause')
  if (cause === undefined) {
    const message = errorMessage(error)
    const text = withoutCode(message, memberOf(error, 'code')) ?? message
    return { kind: 'broken', reason: text.replace(/^Controller ".*?" cannot be loaded: /, '') }
  }
  const file = memberOf(error, 'file')
  const fault = file instanceof URL ? await syntaxFaultOf(cause, file) : undefined
  if (fault === undefined) {
    return { kind: 'broken', reason: errorSummary(cause), fix: 'It is checked once it loads.' }
  }
  const { path, line, column = 1 } = fault.place
  const source = syntaxFaultLine(fault)
  return {
    kind: 'broken',
    reason: source === '' ? fault.reason : `${fault.reason}: ${source}`,
    place: { file: path, line, column },
    fix: 'Correct the syntax.',
  }
}

/** Loads a controller, or returns the reason why it does not load. Resolves to undefined if it is not to be loaded. */
type Load = () => Promise<LoadedController | BrokenController | undefined>

/** Reads the controller of a file. */
async function fromFile(
  name: string,
  load: Load,
  url: URL,
  modules: ProjectModules,
): Promise<KnownController> {
  const file = fileURLToPath(url)
  const module = modules.read(file)
  if (module === undefined) return { kind: 'broken', reason: `there is no file ${file}` }
  if (!('tree' in module)) return fromLoaded(name, load, { file, line: module.line, column: module.column })
  const exported = exportedController(name, module)
  if (exported === 'application') return { kind: 'application', place: placeOf(module, module.tree) }
  if (exported !== undefined) return fromClass(name, load, exported.found)
  return fromLoaded(name, load, undefined, { file, line: 1, column: 1 })
}

/** Reads a controller of a record. */
async function fromRecord(
  name: string,
  load: Load,
  modules: ProjectModules,
  reached: () => readonly string[],
): Promise<KnownController> {
  const loaded = await load()
  if (loaded?.kind === 'broken') return loaded
  if (loaded?.kind !== 'class') return { kind: 'application', place: undefined }
  const { controllerClass } = loaded
  const found = controllerClass.name === '' ? undefined : findClass(modules, reached(), controllerClass)
  return found === undefined
    ? { kind: 'class', model: reflectedController(name, controllerClass, undefined) }
    : fromClass(name, load, found)
}

async function fromClass(name: string, load: Load, found: Located<ClassNode>): Promise<KnownController> {
  const { model, base } = readController(name, controllerClassName(name), found)
  const { className, place } = model
  // A class that extends nothing is an application of its own, without hooks and actions.
  if (base === 'none') {
    return model.methods.has('__call__') || !model.isComplete
      ? { kind: 'application', place }
      : {
          kind: 'broken',
          reason: `the class ${className} has no __call__ method. Extend WSGIController`,
          place,
        }
  }
  // Only the loaded class has what a base class of a package adds, and members with computed names.
  const loaded = model.isComplete ? undefined : await load()
  return {
    kind: 'class',
    model: loaded?.kind === 'class' ? completed(model, loaded.controllerClass) : model,
  }
}

/** @param fault - the place of a mistake of syntax. */
async function fromLoaded(
  name: string,
  load: Load,
  fault: Place | undefined,
  place = fault,
): Promise<KnownController> {
  const loaded = await load()
  if (loaded?.kind === 'broken') return { ...loaded, place: fault ?? loaded.place ?? place }
  if (loaded?.kind !== 'class') return { kind: 'application', place }
  return { kind: 'class', model: reflectedController(name, loaded.controllerClass, place) }
}

/** A class that a module exports as its controller. */
export interface ExportedController {
  /** The name of the export. */
  readonly exportName: string
  readonly found: Located<ClassNode>
}

/** Returns the class that a module exports as its controller; undefined if the source does not say it. */
export function exportedController(
  name: string,
  module: SourceModule,
): ExportedController | 'application' | undefined {
  const stated = exportOf(module, '__controller__')
  const statedName =
    stated?.kind === 'local' && stated.declaration.kind === 'value'
      ? stringOf(stated.declaration.node)
      : undefined
  if (stated !== undefined && statedName === undefined) return undefined
  const candidates = statedName === undefined ? [controllerClassName(name), 'default'] : [statedName]
  for (const exportName of candidates) {
    if (!module.declarations.exports.has(exportName) && module.declarations.stars.length === 0) continue
    const meaning = exportOf(module, exportName)
    if (meaning?.kind !== 'local') continue
    const { declaration } = meaning
    if (declaration.kind === 'function') return 'application'
    const found = classOf(meaning.module, declaration.node)
    return found && { exportName, found }
  }
  return undefined
}

/** Import specifiers. A match in a comment or a text only adds a file in which no class is found. */
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*['"`]([^'"`\n]+)['"`]/g

/** Returns the paths of a module and of all modules of the project that it imports, directly or not. */
function reachedFiles(modules: ProjectModules, entry: string | undefined): readonly string[] {
  const reached = new Set(entry === undefined ? [] : [entry])
  // A set iterates over what is added meanwhile.
  for (const path of reached) {
    for (const [, specifier = ''] of modules.text(path)?.matchAll(SPECIFIER) ?? []) {
      const imported = modules.resolve(specifier, path)
      if (imported !== undefined) reached.add(imported)
    }
  }
  return [...reached]
}

/** Returns the source of a loaded class in a module or its imports. Undefined if it is not the only one of its name and methods. */
export function sourceOf(
  modules: ProjectModules,
  entry: string,
  loaded: ControllerClass,
): Located<ClassNode> | undefined {
  return findClass(modules, reachedFiles(modules, entry), loaded)
}

/** Returns the only class in some files that has the name and the methods of a loaded class. */
function findClass(
  modules: ProjectModules,
  files: readonly string[],
  loaded: ControllerClass,
): Located<ClassNode> | undefined {
  const names = new Set(Object.getOwnPropertyNames(loaded.prototype))
  const found = files.flatMap((path) => {
    const module = modules.text(path)?.includes(loaded.name) ? modules.get(path) : undefined
    if (module === undefined) return []
    return nodesIn(module.tree)
      .filter(isClassNode)
      .filter((node) => node.id?.name === loaded.name && hasMethods(node, names))
      .map((node) => ({ module, node }))
  })
  return found.length === 1 ? found[0] : undefined
}

function hasMethods(node: ClassNode, names: ReadonlySet<string>): boolean {
  return node.body.body.every((member) => {
    if (!is(member, 'MethodDefinition') || member.static || member.value.type !== 'FunctionExpression')
      return true
    const name = keyName(member.key, member.computed)
    return name === undefined || names.has(name)
  })
}
