/** Reads the members of interfaces and classes with their doc comments, for generated pages. */
import { readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)

/** A documented member. */
export interface Member {
  /** Name, of a method with its parameters: `get(path, options?)`. */
  readonly name: string
  /** The doc comment in one line of Markdown. */
  readonly text: string
}

const COMMENT = String.raw`/\*\*((?:(?!\*/)[\s\S])*)\*/\s*`

/** Returns the text of a file of this repository. */
export function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8')
}

/** Returns a doc comment, without its tags, as one line of Markdown. */
export function lineOf(comment: string): string {
  return comment
    .replaceAll(/^\s*\* ?/gm, ' ')
    .replace(/\s@(?:param|typeParam|returns|throws|example)\b[\s\S]*/, '')
    .replaceAll(/\{@link\s+(?:\w+\.)?(\w+)\}/g, '`$1`')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/**
 * Returns the documented members of an interface, or the documented public members of a class.
 *
 * @throws Error - the file has no such interface or class, or its members have no comments.
 */
export function membersOf(path: string, name: string): Member[] {
  const declaration = new RegExp(
    String.raw`^export (?:abstract )?(?:interface|class) ${name}\b[\s\S]*?\{$([\s\S]*?)^\}`,
    'm',
  )
  const body = declaration.exec(read(path))?.[1]
  if (body === undefined) throw new Error(`${path} has no interface or class ${name}`)
  const pattern = new RegExp(
    String.raw`^ {2}${COMMENT}(get )?(?:override |readonly |async |static |\*)*(\w+)\??(?:<.*?>(?=\())?([(:;])(?=([^{]*))`,
    'gm',
  )
  const members = [...body.matchAll(pattern)]
    .filter(([, , , member]) => member !== 'constructor')
    .map(([, comment = '', getter, member = '', next = '', rest = '']) => ({
      name: getter === undefined && next === '(' ? `${member}(${parametersOf(rest)})` : member,
      text: lineOf(comment),
    }))
  if (members.length === 0) throw new Error(`${name} has no documented members`)
  return members
}

/** Returns the names of the parameters in the text behind an opening parenthesis. */
function parametersOf(text: string): string {
  let plain = text
  for (let before = ''; before !== plain; ) {
    before = plain
    plain = plain.replaceAll(/<[^<>]*>|\[[^[\]]*\]|\{[^{}]*\}|\([^()]*\)/g, '')
  }
  const list = plain.split(')')[0] ?? ''
  return list
    .split(',')
    .map((parameter) =>
      parameter
        .trim()
        .replace(/^(\.{3})?(\w+\??)[\s\S]*$/, '$1$2')
        .trim(),
    )
    .filter((parameter) => parameter !== '')
    .join(', ')
}

/** Returns a list of members. */
export function memberList(members: readonly Member[]): string {
  return members.map(({ name, text }) => `- \`${name}\`: ${text}\n`).join('')
}
