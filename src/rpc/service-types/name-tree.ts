import { docComment, memberName } from './text.ts'

/** Values by names whose parts are nested: each is the value of a name, the beginning of other names, or both. */
export interface NameTree<Value> {
  value: Value | undefined
  readonly children: Map<string, NameTree<Value>>
}

/** Creates an empty tree. */
export function newTree<Value>(): NameTree<Value> {
  return { value: undefined, children: new Map() }
}

/** Returns the place of a name. It is added if the tree lacks it. */
export function placeIn<Value>(tree: NameTree<Value>, parts: readonly string[]): NameTree<Value> {
  let place = tree
  for (const part of parts) {
    const next = place.children.get(part) ?? newTree()
    place.children.set(part, next)
    place = next
  }
  return place
}

/** A function in an interface, as source text. */
export interface MemberText {
  /** Text of its doc comment. Empty for none. */
  readonly help: string
  /** Its call signatures: `(id: number): Promise<Book>`. */
  readonly calls: readonly string[]
}

/**
 * Adds the lines of the members of an interface. Lists of a server can be too long to be arguments of `push`.
 *
 * @param group - written before the name of a group: `readonly `.
 * @param textOf - returns the text of a function whose lines have an indent.
 */
export function writeMembers<Value>(
  lines: string[],
  { children }: NameTree<Value>,
  indent: string,
  group: string,
  textOf: (value: Value, indent: string) => MemberText,
): void {
  for (const [name, place] of children) {
    const isGroup = place.children.size > 0
    const inner = isGroup ? `${indent}  ` : indent
    if (isGroup) lines.push(`${indent}${group}${memberName(name)}: {`)
    if (place.value !== undefined) {
      const { help, calls } = textOf(place.value, inner)
      for (const line of docComment(help, inner)) lines.push(line)
      for (const call of calls) lines.push(`${inner}${isGroup ? '' : memberName(name)}${call}`)
    }
    if (!isGroup) continue
    writeMembers(lines, place, inner, group, textOf)
    lines.push(`${indent}}`)
  }
}
