/**
 * The files of a project, in which loaded classes are looked up for the places of findings. Node leaves blanks where
 * it removes types, so the text of a class is at its place in the file.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Node, type Program, parse } from 'acorn'
import { getOrCreate } from '../../base/get-or-create.ts'
import { oncePer } from '../../base/once-per.ts'
import type { ControllerClass } from '../../controllers/class-methods.ts'
import { placeOf } from '../../http/templating/eta.ts'
import { type ClassNode, is, isClassNode, keyName, nodesIn, type Of, propertiesOf, stringOf } from './syntax.ts'

/** A place in a file. Lines and columns are counted from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A module. */
export interface SourceFile {
  readonly path: string
  readonly text: string
  /** The text without types. */
  readonly code: string
  readonly tree: Program
}

/** A node and its file. */
export interface Located<N extends Node = Node> {
  readonly source: SourceFile
  readonly node: N
}

/** A method, an accessor or a field. */
type MemberNode = Of<'MethodDefinition' | 'PropertyDefinition'>

/** Import specifiers. A match in a comment or a text only adds a file in which no class is found. */
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"\n]+)['"]/g

/** The modules of a project. Each is read and parsed when a finding first needs its place. */
export class Sources {
  readonly #entries: readonly string[]
  readonly #texts = new Map<string, string>()
  readonly #files = new Map<string, SourceFile | undefined>()
  #paths: readonly string[] | undefined

  /** @param entries - the paths of the module that creates the application, and of the files of controllers. */
  constructor(entries: readonly string[]) {
    this.#entries = entries
  }

  /** The paths of the entries and of the modules that they import, directly or not. */
  get paths(): readonly string[] {
    if (this.#paths === undefined) {
      const reached = new Set(this.#entries)
      // A set iterates over what is added meanwhile.
      for (const path of reached) {
        for (const [, specifier = ''] of this.#text(path).matchAll(SPECIFIER)) {
          const imported = importedPath(specifier, path)
          if (imported !== undefined) reached.add(imported)
        }
      }
      this.#paths = [...reached]
    }
    return this.#paths
  }

  /** Returns a module, or undefined if it cannot be read or parsed. */
  file(path: string): SourceFile | undefined {
    if (!this.#files.has(path)) this.#files.set(path, parseFile(path, this.#text(path)))
    return this.#files.get(path)
  }

  /** Returns the source of a class, or undefined if it is not in a file of the project. */
  readonly classOf = oncePer((loaded: ControllerClass): Located<ClassNode> | undefined => {
    const code = Function.prototype.toString.call(loaded)
    for (const path of this.paths) {
      const source = this.#text(path).includes(loaded.name) ? this.file(path) : undefined
      if (source === undefined) continue
      const offset = source.code.indexOf(code)
      const node = nodesIn(source.tree).find((each) => isClassNode(each) && each.start === offset)
      if (isClassNode(node)) return { source, node }
    }
    return undefined
  })

  /** Returns the sources of a class and of those that it extends, as far as they are in files of the project. */
  readonly chain = oncePer((loaded: ControllerClass): Located<ClassNode>[] => {
    const parent: unknown = Object.getPrototypeOf(loaded)
    const inherited = isParent(parent) ? this.chain(parent) : []
    const own = this.classOf(loaded)
    return own === undefined ? inherited : [own, ...inherited]
  })

  /** Returns a member of a class, or of the nearest one that it extends and that has it. */
  member(loaded: ControllerClass, name: string, isStatic = false): Located<MemberNode> | undefined {
    for (const { source, node } of this.chain(loaded)) {
      for (const member of node.body.body) {
        const isMember = is(member, 'MethodDefinition', 'PropertyDefinition') && member.static === isStatic
        if (isMember && keyName(member.key, member.computed) === name) return { source, node: member }
      }
    }
    return undefined
  }

  /** Returns the place of a class. */
  ofClass(loaded: ControllerClass): Place | undefined {
    const [own] = this.chain(loaded)
    return own && placeIn(own.source, own.node.id ?? own.node)
  }

  /** Returns the place of a method or of a parameter. Without its source, the place of the class. */
  ofMethod(loaded: ControllerClass, name: string, parameter?: string): Place | undefined {
    const member = this.member(loaded, name)
    if (member === undefined) return this.ofClass(loaded)
    const parameters: readonly Node[] = is(member.node, 'MethodDefinition') ? member.node.value.params : []
    const targets = parameters.map((each) => (is(each, 'AssignmentPattern') ? each.left : each))
    const target =
      targets.find((each) => is(each, 'Identifier') && each.name === parameter) ??
      targets.map((each) => propertiesOf(each).get(parameter ?? '')).find((each) => each !== undefined)
    return placeIn(member.source, target ?? member.node.key)
  }

  /**
   * Returns an entry in a static property: its key in records, and the element in lists. The innermost one that is
   * written out.
   *
   * @param path - the property, and keys from the outside.
   */
  entry(loaded: ControllerClass, ...[property = '', ...path]: readonly string[]): Located | undefined {
    const member = this.member(loaded, property, true)
    if (member === undefined) return undefined
    let node: Node = member.node.key
    let value: Node | null | undefined = member.node.value
    for (const name of path) {
      const elements: readonly (Node | null)[] = is(value, 'ArrayExpression') ? value.elements : []
      const key = propertiesOf(value).get(name) ?? elements.find((each) => stringOf(each) === name)
      if (!key) break
      node = key
      value = is(key, 'Property') ? key.value : undefined
    }
    return { source: member.source, node }
  }

  /** Returns the place of {@link entry}. Without its source, the place of the class. */
  ofEntry(loaded: ControllerClass, ...path: readonly string[]): Place | undefined {
    const found = this.entry(loaded, ...path)
    return found === undefined ? this.ofClass(loaded) : placeIn(found.source, found.node)
  }

  /** Returns the text of the value of an entry, for tables. */
  valueText(loaded: ControllerClass, ...path: readonly string[]): string | undefined {
    const { source, node } = this.entry(loaded, ...path) ?? {}
    const isWritten = is(node, 'Property') && keyName(node.key, node.computed) === path.at(-1)
    return isWritten ? source?.text.slice(node.value.start, node.value.end) : undefined
  }

  /** Returns the place of a text that a class, or code beside it, names for a method. */
  ofLiteral(loaded: ControllerClass, text: string, method: string): Place | undefined {
    for (const { source } of this.chain(loaded)) {
      const node = nodesIn(source.tree).find((each) => stringOf(each) === text)
      if (node !== undefined) return placeIn(source, node)
    }
    return this.ofMethod(loaded, method)
  }

  /**
   * Returns the place of a key or a text in the call that defines a route, or the place of the call.
   *
   * @param definedAt - `file:line:column` of the name of the method.
   */
  inCall(definedAt: string | undefined, text: string | undefined): Place | undefined {
    const place = placeOfText(definedAt)
    const source = place && this.file(place.file)
    if (place === undefined || source === undefined) return place
    const lines = source.text.split('\n').slice(0, place.line - 1)
    const offset = lines.reduce((sum, line) => sum + line.length + 1, place.column - 1)
    for (const call of nodesIn(source.tree)) {
      if (!is(call, 'CallExpression')) continue
      const { start } = is(call.callee, 'MemberExpression') ? call.callee.property : call.callee
      const inside = start === offset ? call.arguments.flatMap((argument) => nodesIn(argument)) : []
      const node = inside.find(
        (each) => stringOf(each) === text || (is(each, 'Property') && keyName(each.key, each.computed) === text),
      )
      if (node !== undefined && text !== undefined) return placeIn(source, node)
    }
    return place
  }

  #text(path: string): string {
    return getOrCreate(this.#texts, path, () => {
      try {
        return readFileSync(path, 'utf8')
      } catch {
        return '' // A file that is missing has no classes.
      }
    })
  }
}

/** Returns the place of a node. */
export function placeIn({ path, text }: SourceFile, { start }: Node): Place {
  return { file: path, ...placeOf(text, start) }
}

/** Parses `file:line:column`. */
export function placeOfText(text: string | undefined): Place | undefined {
  const [, path, line, column] = /^(.*?)(?:\?[^:]*)?:(\d+):(\d+)$/.exec(text ?? '') ?? []
  if (path === undefined) return undefined
  const file = path.startsWith('/') ? fileURLToPath(`file://${path}`) : path
  return { file, line: Number(line), column: Number(column) }
}

function isParent(value: unknown): value is ControllerClass {
  return typeof value === 'function' && value !== Function.prototype
}

/** Parses a module. Node warns that the removal of types is experimental, which this silences. */
function parseFile(path: string, text: string): SourceFile | undefined {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    const code = /\.[cm]?ts$/.test(path) ? module.stripTypeScriptTypes(text) : text
    const tree = parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true })
    return { path, text, code, tree }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined // Loading the file has failed too, with the reason of Node.
    throw error
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Returns the path of a module that another one imports. Undefined for packages. */
export function importedPath(specifier: string, from: string): string | undefined {
  if (specifier.startsWith('.')) return resolve(dirname(from), specifier)
  try {
    return specifier.startsWith('#') ? createRequire(from).resolve(specifier) : undefined
  } catch {
    return undefined // Not defined in package.json.
  }
}
