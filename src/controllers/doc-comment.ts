/** Documentation of methods, from their attribute `help` or their doc comment, and its tags. */

import { nameOf, nestedTokens } from '../base/javascript.ts'
import { oncePer } from '../base/once-per.ts'
import { trim } from '../base/trim.ts'
import type { ControllerClass } from './class-methods.ts'
import { originalMethod } from './parameters.ts'

/**
 * Returns the documentation of a method: its attribute `help`, or else its doc comment, or else ''. The comment is read
 * from the source text of the class, so a build that strips comments leaves only the attribute.
 */
export function helpOf(controllerClass: ControllerClass, name: string, method: object): string {
  const help = Reflect.get(method, 'help') ?? Reflect.get(originalMethod(method), 'help')
  if (typeof help === 'string') return dedent(help)
  let prototype: object | null = controllerClass.prototype
  while (prototype !== null && !Object.hasOwn(prototype, name)) prototype = Object.getPrototypeOf(prototype)
  const owner: unknown = prototype?.constructor
  return typeof owner === 'function' ? (docComments(owner).get(name) ?? '') : ''
}

/** Returns the doc comments of a class's methods by name. */
const docComments = oncePer((owner: object) => readComments(Function.prototype.toString.call(owner)))

function readComments(source: string): ReadonlyMap<string, string> {
  const docs = new Map<string, string>()
  const members = nestedTokens(source).at(-1)?.inside ?? []
  for (const [start, { doc }] of members.entries()) {
    if (doc === undefined) continue
    let at = start
    while (/^(?:async|get|set|\*)$/.test(members[at]?.text ?? '') && members[at + 1]?.text !== '(') at++
    const [key, list, body] = members.slice(at, at + 3)
    const isMethod = list?.text === '(' && body?.text === '{'
    if (key !== undefined && key.inside === undefined && isMethod) docs.set(nameOf(key), clean(doc))
  }
  return docs
}

/** Returns the text of a doc comment. */
function clean(comment: string): string {
  const lines = comment.slice('/**'.length, -'*/'.length).split(/\r?\n/)
  return dedent(lines.map((line) => line.replace(/^\s*\*(?: |$)?/, '')).join('\n'))
}

/** Removes the common indentation of all lines but the first, and leading and trailing blank lines. */
function dedent(text: string): string {
  const [first = '', ...rest] = text.split(/\r?\n/)
  const indents = rest.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const common = indents.length === 0 ? 0 : Math.min(...indents)
  const lines = [first.trim(), ...rest.map((line) => line.slice(common).trimEnd())]
  return trim(lines.join('\n'), '\n')
}

/** Documentation of a method, without the tags of its parameters. */
export interface Documentation {
  readonly text: string
  /** Descriptions by parameter. A member of an object has the path that the tag names: `options.limit`. */
  readonly parameters: ReadonlyMap<string, string>
}

const TAG = /^@\w/
/** `@param name text`, `@param {type} name text`, `@param [name=default] - text`. */
const PARAM = /^@param\s+(?:\{[^}]*\}\s*)?(?:\[([\w$.]+)[^\]]*\]|([\w$.]+))(?:\s+(?:-\s+)?|\s*$)(.*)$/

/**
 * Separates the `@param` tags of a documentation from the rest. A tag ends at the next tag or at an empty line.
 */
export function readDocumentation(help: string): Documentation {
  const text: string[] = []
  const parameters = new Map<string, string>()
  let current: string | undefined
  for (const line of help.split('\n')) {
    const trimmed = line.trim()
    const param = PARAM.exec(trimmed)
    if (param !== null) {
      const [, optional, plain, description = ''] = param
      current = optional ?? plain ?? ''
      parameters.set(current, description)
    } else if (trimmed === '' || TAG.test(trimmed)) {
      current = undefined
      text.push(line)
    } else if (current === undefined) text.push(line)
    else parameters.set(current, `${parameters.get(current)} ${trimmed}`.trim())
  }
  return {
    text: text
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
    parameters,
  }
}
