/**
 * Writes source text of TypeScript.
 *
 * @module
 */

/**
 * Escapes text for a comment: it cannot end the comment, reorder the text that an editor shows, or be a directive of
 * the compiler such as `@ts-nocheck`.
 */
export function inComment(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
    .replaceAll('*/', '* /')
    .replaceAll('@ts-', '@ ts-')
}

/** Formats text as the lines of a doc comment. Empty text has no lines. */
export function docComment(text: string, indent: string): string[] {
  const lines = text.trim() === '' ? [] : text.trim().split(/\r\n|[\n\r\u2028\u2029]/)
  if (lines.length === 0) return []
  if (lines.length === 1) return [`${indent}/** ${inComment(lines[0] as string)} */`]
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${inComment(line)}`.trimEnd()), `${indent} */`]
}

/** Formats a string literal in ASCII. */
export function literal(text: string): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `'${text.replace(/['\\]|[^\x20-\x7e]/g, escaped)}'`
}

/** Formats the name of a member: an identifier as it is, any other name as a literal. */
export function memberName(name: string): string {
  // A method whose name is the plain word `new` would be a constructor.
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'new' ? name : literal(name)
}

/** Returns the literal type of a value, or undefined if it has none. */
export function literalType(value: unknown): string | undefined {
  if (typeof value === 'string') return literal(value)
  if (value === null || typeof value === 'boolean') return String(value)
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined
}

/** Formats a union. Unions and intersections are in parentheses, so that they can be parts of other types. */
export function union(types: Iterable<string>): string {
  const distinct = new Set(types)
  if (distinct.has('unknown')) return 'unknown'
  distinct.delete('never')
  return compound(distinct, '|') ?? 'never'
}

/** Formats a union or an intersection; undefined if there is no type. */
export function compound(types: ReadonlySet<string>, operator: '|' | '&'): string | undefined {
  return types.size > 1 ? `(${[...types].join(` ${operator} `)})` : [...types][0]
}

/** Removes the parentheses around a union or an intersection where no operator follows. */
export function bare(type: string): string {
  return type.startsWith('(') && type.endsWith(')') ? type.slice(1, -1) : type
}

/** Formats an object type with a line for each member. */
export function objectText(members: readonly string[], helps: readonly string[], indent: string): string {
  const inner = `${indent}  `
  const lines = members.flatMap((text, i) => [...docComment(helps[i] ?? '', inner), `${inner}${text}`])
  return `{\n${lines.join('\n')}\n${indent}}`
}
