/**
 * Controllers as their sources write them.
 *
 * @module
 */
import { STATIC_LISTS, STATIC_RECORDS } from '../../controllers/vocabulary.ts'
import { type ClassChain, classChain } from './class-chain.ts'
import { readDecorations } from './decorations.ts'
import { constantOf } from './lookup.ts'
import {
  type ArgumentDeclaration,
  type ControllerModel,
  type Located,
  type MethodModel,
  type Place,
  placeOf,
  type StaticEntry,
  type StaticList,
  type StaticRecord,
  UNDECLARED,
  UNKNOWN_ARGUMENTS,
} from './model.ts'
import { readParameters } from './parameters.ts'
import { remembered } from './remembered.ts'
import { argumentsOf, propertiesOf } from './static-args.ts'
import { type ClassNode, is, isFunctionNode, keyName, type Of, type SyntaxNode, stringOf } from './syntax.ts'

/**
 * Reads a controller from its class.
 *
 * @param name - its name in routes.
 * @param className - for messages, if the class has no name of its own.
 */
export function readController(
  name: string,
  className: string,
  first: Located<ClassNode>,
): { model: ControllerModel; base: ClassChain['base'] } {
  const chain = classChain(first)
  const label = first.node.id?.name ?? className
  const members = readMembers(chain, label)
  const decorations = chain.classes.map(readDecorations)
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
    declaredArguments: remembered((method: string) =>
      declaredArguments(chain, method, members.definers.get(method) ?? 0),
    ),
    declaredResult: (method) => declaredEntry(chain, 'results', method),
    staticEntries: [
      ...STATIC_RECORDS.flatMap((record) => recordEntries(chain, record)),
      ...STATIC_LISTS.flatMap((list) => [...listEntries(chain, list), ...recordEntries(chain, list)]),
    ],
  }
  return { model, base: chain.base }
}

function readMembers({ classes }: ClassChain, label: string) {
  const methods = new Map<string, MethodModel>()
  const others = new Map<string, 'getter' | 'field'>()
  /** The class that defines each method, as its index in the chain. */
  const definers = new Map<string, number>()
  let isComplete = true
  for (const [index, { module, node }] of classes.entries()) {
    for (const member of node.body.body) {
      if (!is(member, 'MethodDefinition', 'PropertyDefinition', 'AccessorProperty') || member.static) continue
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
          ...readParameters({ module, node: member.value }),
          source: { module, node: member.value },
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
function declaredArguments(chain: ClassChain, method: string, definer: number): ArgumentDeclaration {
  const entry = declaredEntry(chain, 'args', method)
  if (entry === 'unknown') return UNKNOWN_ARGUMENTS
  if (entry === undefined) return UNDECLARED
  return { ...argumentsOf(entry.module, entry.node), isOverridden: definer < entry.index }
}

/**
 * Returns the value for a method in a static record, with the index of the class that has it: undefined if no class has one,
 * `unknown` if the source does not say it.
 */
function declaredEntry(
  { classes, base }: ClassChain,
  record: StaticRecord,
  method: string,
): (Located & { readonly index: number }) | 'unknown' | undefined {
  for (const [index, { module, node }] of classes.entries()) {
    const value = staticValue(node, record)
    if (value === undefined) continue
    const properties = value === null ? undefined : propertiesOf(module, value)
    const entry = properties?.entries.get(method)
    if (entry !== undefined) return { ...entry, index }
    if (properties?.isComplete !== true) return 'unknown'
  }
  return base === 'unknown' ? 'unknown' : undefined
}

function listEntries({ classes }: ClassChain, record: StaticList): StaticEntry[] {
  return classes
    .flatMap((one) => staticList(one, record) ?? [])
    .flatMap((value) => {
      const name = stringOf(value.node)
      const place = placeOf(value.module, value.node)
      return name === undefined ? [] : [{ record, name, place, text: name, value }]
    })
}

function recordEntries({ classes }: ClassChain, record: StaticRecord | StaticList): StaticEntry[] {
  return classes.flatMap(({ module, node }) => {
    const value = staticValue(node, record)
    const properties = value ? propertiesOf(module, value) : undefined
    return [...(properties?.entries ?? [])].map(([name, { key, ...entry }]) => ({
      record,
      name,
      place: placeOf(key.module, key.node),
      text: stringOf(constantOf(entry.module, entry.node).node),
      value: entry,
    }))
  })
}

/**
 * Returns the value of a static field of a class; null if a getter computes it, or a field without a value; undefined if
 * the class has none.
 */
export function staticValue(node: ClassNode, name: string): SyntaxNode | null | undefined {
  const member = staticMember(node, name)
  return member && (is(member, 'PropertyDefinition') ? member.value : null)
}

/** Returns a static field, method or getter of a class. */
export function staticMember(
  node: ClassNode,
  name: string,
): Of<'MethodDefinition' | 'PropertyDefinition'> | undefined {
  for (const member of node.body.body) {
    if (!is(member, 'MethodDefinition', 'PropertyDefinition') || !member.static) continue
    if (keyName(member.key, member.computed) === name) return member
  }
  return undefined
}

/** Returns the place of a static member of a class, or of the class if its source does not have it. */
export function placeOfStatic({ module, node }: Located<ClassNode>, name: string): Place {
  return placeOf(module, staticMember(node, name)?.key ?? node)
}

/** Returns the elements of a static list of a class; undefined if the source does not write a list. */
export function staticList({ module, node }: Located<ClassNode>, name: string): Located[] | undefined {
  const value = staticValue(node, name)
  const list = value ? constantOf(module, value) : undefined
  if (list === undefined || !is(list.node, 'ArrayExpression')) return undefined
  return list.node.elements.flatMap((one) => (one === null ? [] : [{ module: list.module, node: one }]))
}

/** Returns the names in `static faces`, or undefined if no class declares it. */
function declaredFaces({ classes }: ClassChain): string[] | undefined {
  const declaring = classes.find(({ node }) => staticValue(node, 'faces') !== undefined)
  return declaring && (staticList(declaring, 'faces') ?? []).flatMap(({ node }) => stringOf(node) ?? [])
}

/** Returns true for `[Symbol.iterator]` and the like, which are not actions. */
function isSymbol(key: SyntaxNode): boolean {
  return is(key, 'MemberExpression') && is(key.object, 'Identifier') && key.object.name === 'Symbol'
}
