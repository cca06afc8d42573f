import { controllerClassName } from '../../app/loaded-controller.ts'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'

/** Maximum length of a name with its directories. The name of the test file then fits every file system. */
const LONGEST_NAME = 100

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
const RESERVED = [
  ...`arguments await break case catch class const continue debugger default delete do else enum eval export extends
  false finally for function if implements import in instanceof interface let new null package private protected
  prototype public return static super switch this throw true try typeof undefined var void while with yield`.split(
    /\s+/,
  ),
  ...Object.getOwnPropertyNames(Object.prototype),
]

const RESERVED_NAME = new RegExp(`^(?:${RESERVED.join('|')})$`, 'i')

/** Returns whether a name is a reserved word, or a member of every object. */
export function isReserved(name: string): boolean {
  return RESERVED_NAME.test(name)
}

/** A pattern, the problem of the texts that match it, and the correction. `…` is the text. */
type Refusal = readonly [pattern: RegExp, problem: string, fix: string]

const EXAMPLE = "write one like 'hello' or 'admin/panel'"

/** Names that are refused, in the order of the tests. */
const REFUSED_NAMES: readonly Refusal[] = [
  [/^\s*$/, 'is empty', EXAMPLE],
  [/\p{C}/u, 'contains a control character', EXAMPLE],
  [/\s/, 'contains a blank', 'use underscores between words'],
  [/^[/\\]|^[A-Za-z]:/, 'is an absolute path', "write it relative to the project's controllers folder"],
  [/(?<![^/\\])\.\.(?![^/\\])/, 'leads out of the controllers folder', "write it without '..'"],
  [/\\/, 'contains a backslash', "separate directories with '/'"],
]

/**
 * Parts of names that are refused, in the order of the tests. Files that begin with an underscore are not
 * controllers.
 */
const REFUSED_PARTS: readonly Refusal[] = [
  [/^$/, 'has an empty part', "write a name before and after each '/'"],
  [
    /^[_-]/,
    'has a part that begins with an underscore or a dash: its file is not a controller',
    'begin it with a letter',
  ],
  [/^\p{Nd}/u, 'has a part that begins with a digit', 'begin it with a letter'],
  [/[^A-Za-z0-9_-]/, 'is not an identifier', 'use the letters a to z, digits, underscores and dashes'],
  [RESERVED_NAME, "contains the reserved word '…'", "choose another, for instance '…_page'"],
  [
    /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])$/i,
    "contains '…', which Windows reserves for a device",
    "choose another, for instance '…_page'",
  ],
]

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
  const shown = `the ${what} ${quoted(text)}`
  if (text.length > LONGEST_NAME) {
    throw new UsageError(`${shown} has ${text.length} characters`, `at most ${LONGEST_NAME} are allowed`)
  }
  refuse(text, REFUSED_NAMES, shown)
  const typed = text.replace(/\.ts$/, '').split('/')
  for (const part of typed) refuse(part, REFUSED_PARTS, shown)
  const parts = typed.map((part) => part.replaceAll('-', '_'))
  const name = parts.at(-1) ?? ''
  const className = controllerClassName(name)
  if (BASE_CLASSES.has(className)) {
    throw new UsageError(
      `${shown} would create a class ${className}, which exists already as a base class`,
      'choose another name',
    )
  }
  return { directories: parts.slice(0, -1), name, path: parts.join('/'), className }
}

/** @throws UsageError - one of the patterns matches. */
function refuse(text: string, refusals: readonly Refusal[], shown: string): void {
  for (const [pattern, problem, fix] of refusals) {
    if (!pattern.test(text)) continue
    throw new UsageError(`${shown} ${problem.replaceAll('…', text)}`, fix.replaceAll('…', text))
  }
}
