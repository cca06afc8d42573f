import { controllerClassName } from '../../app/loaded-controller.ts'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'

/** Maximum length of a name with its directories. The name of the test file then fits every file system. */
export const LONGEST_NAME = 100

/** A controller's name in the forms that generated files need. */
export interface ControllerName {
  /** Its directories, for instance `['admin']`. */
  readonly directories: readonly string[]
  /** Its last part, for instance `with_dash`. */
  readonly name: string
  /** Its name in routes, for instance `admin/with_dash`. */
  readonly path: string
  /** For instance `WithDashController`. */
  readonly className: string
}

/** Reserved words of JavaScript and TypeScript, and the members of every object. */
const RESERVED: ReadonlySet<string> = new Set([
  ...`arguments await break case catch class const continue debugger default delete do else enum eval export extends
  false finally for function if implements import in instanceof interface let new null package private protected
  prototype public return static super switch this throw true try typeof undefined var void while with yield`.split(
    /\s+/,
  ),
  ...Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()),
])

/** Device names of Windows, reserved with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])$/i

/** Base classes of the framework and of created projects. */
const BASE_CLASSES: ReadonlySet<string> = new Set([
  'BaseController',
  'WSGIController',
  'XMLRPCController',
  'JSONRPCController',
])

/**
 * Parses a controller's name from the command line: `hello`, `admin/panel`, `with-dash`, `hello.ts`. Dashes become
 * underscores.
 *
 * @param what - noun for the name in messages.
 * @throws UsageError - the name is not valid for a controller.
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
    throw new UsageError(
      `the ${what} ${quoted(text)} would create a class ${className}, which exists already as a base class`,
      'choose another name',
    )
  }
  return { directories: parts.slice(0, -1), name, path: parts.join('/'), className }
}

function checkText(text: string, what: string): void {
  const refuse = (problem: string, fix: string) => new UsageError(`the ${what} ${problem}`, fix)
  const example = "write one like 'hello' or 'admin/panel'"
  if (text.trim() === '') throw refuse('is empty', example)
  if (text.length > LONGEST_NAME) {
    throw refuse(`${quoted(text)} has ${text.length} characters`, `at most ${LONGEST_NAME} are allowed`)
  }
  if (/\p{C}/u.test(text)) throw refuse(`${quoted(text)} contains a control character`, example)
  if (/\s/u.test(text)) throw refuse(`${quoted(text)} contains a blank`, 'use underscores between words')
  if (/^[/\\]|^[A-Za-z]:/.test(text)) {
    throw refuse(
      `${quoted(text)} is an absolute path`,
      "write it relative to the project's controllers folder",
    )
  }
  if (text.split(/[/\\]/).includes('..')) {
    throw refuse(`${quoted(text)} leads out of the controllers folder`, "write it without '..'")
  }
  if (text.includes('\\'))
    throw refuse(`${quoted(text)} contains a backslash`, "separate directories with '/'")
}

function checkedPart(typed: string, text: string, what: string): string {
  const refuse = (problem: string, fix: string) =>
    new UsageError(`the ${what} ${quoted(text)} ${problem}`, fix)
  if (typed === '') throw refuse('has an empty part', "write a name before and after each '/'")
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
    throw refuse(`contains the reserved word '${part}'`, `choose another, for instance '${part}_page'`)
  }
  if (DEVICE.test(part)) {
    throw refuse(
      `contains '${part}', which Windows reserves for a device`,
      `choose another, for instance '${part}_page'`,
    )
  }
  return part
}
