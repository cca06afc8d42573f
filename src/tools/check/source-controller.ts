/**
 * Controllers as their sources write them.
 *
 * @module
 */
import { Annotations } from './annotations.ts'
import { type ClassChain, classChain } from './class-chain.ts'
import { DecorationReader } from './decorations.ts'
import type { Lookup } from './lookup.ts'
import {
  type ArgumentDeclaration,
  type ControllerModel,
  type Located,
  type MethodModel,
  placeOf,
  type StaticEntry,
  type StaticList,
  type StaticRecord,
} from './model.ts'
import { ParameterReader } from './parameters.ts'
import { StaticRecords } from './static-args.ts'
import { type ClassNode, is, isFunctionNode, keyName, type SyntaxNode, stringOf, unwrap } from './syntax.ts'

/** The records of a class whose keys are names of methods. */
const RECORDS = [
  'args',
  'crossSite',
  'pages',
  'prompts',
  'publicNames',
  'results',
  'signatures',
  'statuses',
] as const

const LISTS = ['deprecated', 'resources', 'tools'] as const

/** Reads controllers from their classes. */
export class ControllerReader {
  readonly lookup: Lookup
  readonly annotations: Annotations
  readonly #parameters: ParameterReader
  readonly #records: StaticRecords
  readonly #decorations: DecorationReader

  constructor(lookup: Lookup) {
    this.lookup = lookup
    this.annotations = new Annotations(lookup)
    this.#parameters = new ParameterReader(lookup, this.annotations)
    this.#records = new StaticRecords(lookup, this.annotations)
    this.#decorations = new DecorationReader(lookup, this.#records)
  }

  /**
   * Reads a controller.
   *
   * @param name - its name in routes.
   * @param className - for messages, if the class has no name of its own.
   */
  read(
    name: string,
    className: string,
    first: Located<ClassNode>,
  ): { model: ControllerModel; chain: ClassChain } {
    const chain = classChain(this.lookup, first)
    const label = first.node.id?.name ?? className
    const members = this.#members(chain, label)
    const decorations = chain.classes.map((one) => this.#decorations.read(one))
    // A class that overrides a method does not inherit its decorators.
    const decorated = decorations.flatMap((each, index) =>
      each.decorated.filter(({ method }) => index <= (members.definers.get(method) ?? index)),
    )
    const model: ControllerModel = {
      name,
      className: label,
      place: placeOf(first.module, first.node.id ?? first.node),
      isService: chain.base === 'service',
      faces: declaredFaces(chain) ?? chain.faces,
      methods: members.methods,
      otherMembers: members.others,
      isComplete: members.isComplete && chain.base !== 'unknown',
      overridesArguments: members.methods.has('_get_method_args'),
      classes: chain.classes,
      decorated,
      knowsDecorators: decorations.every(({ isComplete }) => isComplete),
      declaredArguments: remembered((method) =>
        this.#declaredArguments(chain, method, members.definers.get(method) ?? 0),
      ),
      declaredResult: (method) => this.#declaredResult(chain, method),
      staticEntries: [
        ...RECORDS.flatMap((record) => this.#staticEntries(chain, record)),
        ...LISTS.flatMap((list) => this.#listEntries(chain, list)),
      ],
    }
    return { model, chain }
  }

  #members({ classes }: ClassChain, label: string) {
    const methods = new Map<string, MethodModel>()
    const others = new Map<string, 'getter' | 'field'>()
    /** The class that defines each method, as its index in the chain. */
    const definers = new Map<string, number>()
    let isComplete = true
    for (const [index, { module, node }] of classes.entries()) {
      for (const member of node.body.body) {
        if (!is(member, 'MethodDefinition', 'PropertyDefinition', 'AccessorProperty') || member.static)
          continue
        if (is(member.key, 'PrivateIdentifier')) continue
        const name = keyName(member.key, member.computed)
        if (name === undefined) {
          isComplete &&= isSymbol(member.key)
        } else if (is(member, 'MethodDefinition') && member.kind === 'method') {
          if (!isFunctionNode(member.value) || methods.has(name) || others.get(name) === 'getter') continue
          definers.set(name, index)
          methods.set(name, {
            name,
            label: `${label}.${name}`,
            place: placeOf(module, member.key),
            ...this.#parameters.read({ module, node: member.value }),
            source: { module, node: member.value },
            isInherited: index > 0,
            isHelper: member.accessibility === 'private' || member.accessibility === 'protected',
          })
        } else if (!methods.has(name) && !others.has(name)) {
          others.set(name, is(member, 'MethodDefinition') ? 'getter' : 'field')
        }
      }
    }
    return { methods, others, definers, isComplete }
  }

  /** @param definer - the index of the class that defines the method. */
  #declaredArguments(
    { classes, base }: ClassChain,
    method: string,
    definer: number,
  ): ArgumentDeclaration | undefined {
    for (const [index, { module, node }] of classes.entries()) {
      const value = staticValue(node, 'args')
      if (value === undefined) continue
      const properties = value === null ? undefined : this.#records.properties(module, value)
      if (properties === undefined) return { kind: 'unknown' }
      const entry = properties.entries.get(method)
      if (entry !== undefined) {
        const declared = this.#records.declaration(entry.module, entry.node)
        return declared.kind === 'converters' ? { ...declared, isOverridden: definer < index } : declared
      }
      if (!properties.isComplete) return { kind: 'unknown' }
    }
    return base === 'unknown' ? { kind: 'unknown' } : undefined
  }

  #declaredResult({ classes, base }: ClassChain, method: string): Located | 'unknown' | undefined {
    for (const { module, node } of classes) {
      const value = staticValue(node, 'results')
      if (value === undefined) continue
      const properties = value === null ? undefined : this.#records.properties(module, value)
      const entry = properties?.entries.get(method)
      if (entry !== undefined) return entry
      if (properties?.isComplete !== true) return 'unknown'
    }
    return base === 'unknown' ? 'unknown' : undefined
  }

  #listEntries({ classes }: ClassChain, record: StaticList): StaticEntry[] {
    return classes.flatMap(({ module, node }) => {
      const value = staticValue(node, record)
      const list = value ? this.lookup.value(module, value) : undefined
      if (list === undefined || !is(list.node, 'ArrayExpression')) return []
      return list.node.elements.flatMap((element): StaticEntry[] => {
        const name = stringOf(element)
        if (element === null || name === undefined) return []
        const place = placeOf(list.module, element)
        return [{ record, name, place, text: name, value: { module: list.module, node: element } }]
      })
    })
  }

  #staticEntries({ classes }: ClassChain, record: StaticRecord): StaticEntry[] {
    return classes.flatMap(({ module, node }) => {
      const value = staticValue(node, record)
      const properties = value ? this.#records.properties(module, value) : undefined
      return [...(properties?.entries ?? [])].map(([name, { key, ...entry }]) => {
        const constant = this.lookup.value(entry.module, entry.node)
        return {
          record,
          name,
          place: placeOf(key.module, key.node),
          text: stringOf(constant.node),
          value: entry,
        }
      })
    })
  }
}

/**
 * Returns the value of a static field of a class; null if a getter computes it, or a field without a value; undefined if
 * the class has none.
 */
export function staticValue(node: ClassNode, name: string): SyntaxNode | null | undefined {
  for (const member of node.body.body) {
    if (!is(member, 'MethodDefinition', 'PropertyDefinition') || !member.static) continue
    if (keyName(member.key, member.computed) !== name) continue
    return is(member, 'PropertyDefinition') ? member.value : null
  }
  return undefined
}

/** Returns the names in `static faces`, or undefined if no class declares it. */
function declaredFaces({ classes }: ClassChain): string[] | undefined {
  for (const { node } of classes) {
    const value = staticValue(node, 'faces')
    const list = value ? unwrap(value) : value
    if (list === undefined) continue
    return is(list, 'ArrayExpression') ? list.elements.flatMap((element) => stringOf(element) ?? []) : []
  }
  return undefined
}

/** Returns a function that calls another one once for each name. */
function remembered<T>(read: (name: string) => T): (name: string) => T {
  const known = new Map<string, { readonly value: T }>()
  return (name) => {
    const made = known.get(name) ?? { value: read(name) }
    known.set(name, made)
    return made.value
  }
}

/** Returns true for `[Symbol.iterator]` and the like, which are not actions. */
function isSymbol(key: SyntaxNode): boolean {
  return is(key, 'MemberExpression') && is(key.object, 'Identifier') && key.object.name === 'Symbol'
}
