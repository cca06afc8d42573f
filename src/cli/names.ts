import { controllerClassName } from '../app/loaded-controller.ts'
import { quoted, Refusal } from './refusal.ts'

/** The longest name, its directories included, so that the test file's name fits every file system. */
export const LONGEST_NAME = 100

/** A controller's name in all the forms that scaffolding needs. */
export interface ControllerName {
  /** The directories in front, for instance `['admin']`. */
  readonly directories: readonly string[]
  /** The name alone, for instance `with_dash`. */
  readonly name: string
  /** What a route calls it: `admin/with_dash`. */
  readonly path: string
  /** `WithDashController`. */
  readonly className: string
}

/** What JavaScript and TypeScript keep for themselves, and what each object has already. */
const RESERVED: ReadonlySet<string> = new Set([
  ...[
    'break',
    'case',
    'catch',
    'class',
    'const',
    'continue',
    'debugger',
    'default',
    'delete',
    'do',
    'else',
    'enum',
  ],
  ...[
    'export',
    'extends',
    'false',
    'finally',
    'for',
    'function',
    'if',
    'import',
    'in',
    'instanceof',
    'new',
    'null',
  ],
  ...['return', 'super', 'switch', 'this', 'throw', 'true', 'try', 'typeof', 'var', 'void', 'while', 'with'],
  ...[
    'arguments',
    'await',
    'eval',
    'implements',
    'interface',
    'let',
    'package',
    'private',
    'protected',
    'public',
  ],
  ...['static', 'yield', 'undefined', 'prototype'],
  ...Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()),
])

/** Names that Windows keeps for devices, whatever their extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])$/i

/** Classes that the framework or the project has already and that a generated controller extends or stands beside. */
const BASE_CLASSES: ReadonlySet<string> = new Set([
  'BaseController',
  'WSGIController',
  'XMLRPCController',
  'JSONRPCController',
])

/**
 * Reads a controller's name as it is typed on the command line: `hello`, `admin/panel`, `with-dash`, `hello.ts`.
 * Dashes become underscores. Throws a Refusal for whatever could not be a controller.
 *
 * @param text - the name as typed.
 * @param what - what the name stands for, for the message.
 */
export function controllerName(text: string, what = 'controller name'): ControllerName {
  checkText(text, what)
  const parts = text
    .replace(/\.ts$/, '')
    .split('/')
    .map((part) => checkedPart(part, text, what))
  const name = parts.at(-1) ?? ''
  const className = controllerClassName(name)
  if (BASE_CLASSES.has(className)) {
    throw new Refusal(
      `the ${what} ${quoted(text)} would make another class ${className}, which controllers extend`,
      'choose another name',
    )
  }
  return { directories: parts.slice(0, -1), name, path: parts.join('/'), className }
}

function checkText(text: string, what: string): void {
  const refuse = (problem: string, wayOut: string) => new Refusal(`the ${what} ${problem}`, wayOut)
  const example = "write one like 'hello' or 'admin/panel'"
  if (text.trim() === '') throw refuse('is empty', example)
  if (text.length > LONGEST_NAME) {
    throw refuse(`${quoted(text)} has ${text.length} characters`, `at most ${LONGEST_NAME} are allowed`)
  }
  if (/\p{C}/u.test(text)) throw refuse(`${quoted(text)} holds a control character`, example)
  if (/\s/u.test(text)) throw refuse(`${quoted(text)} holds a blank`, `join its words with underscores`)
  if (/^[/\\]|^[A-Za-z]:/.test(text)) {
    throw refuse(
      `${quoted(text)} is an absolute path`,
      "write it relative to the project's controllers folder",
    )
  }
  if (text.split(/[/\\]/).includes('..')) {
    throw refuse(`${quoted(text)} climbs out of the controllers folder`, "write it without '..'")
  }
  if (text.includes('\\')) throw refuse(`${quoted(text)} holds a backslash`, "separate directories with '/'")
}

function checkedPart(typed: string, text: string, what: string): string {
  const refuse = (problem: string, wayOut: string) =>
    new Refusal(`the ${what} ${quoted(text)} ${problem}`, wayOut)
  if (typed === '') throw refuse('has an empty part', "write one name between two '/' and one after the last")
  const part = typed.replaceAll('-', '_')
  if (part.startsWith('_')) {
    throw refuse(
      `has a part that begins with '${typed.charAt(0)}', and files that begin with an underscore are not controllers`,
      'begin it with a letter',
    )
  }
  if (/^\p{Nd}/u.test(part)) throw refuse('has a part that begins with a digit', 'begin it with a letter')
  if (!/^[A-Za-z0-9_]+$/.test(part)) {
    throw refuse(`is not an identifier`, 'use the letters a to z, digits, underscores and dashes')
  }
  if (RESERVED.has(part.toLowerCase())) {
    throw refuse(`holds the reserved word '${part}'`, `choose another, for instance '${part}_page'`)
  }
  if (DEVICE.test(part)) {
    throw refuse(
      `holds '${part}', which Windows keeps for a device`,
      `choose another, for instance '${part}_page'`,
    )
  }
  return part
}
