import { parseArgs } from 'node:util'
import {
  type ArgumentSpec,
  COMMON_OPTIONS,
  type Command,
  type OptionSpec,
  type ParsedArguments,
  programOf,
} from '../../base/command-line/command.ts'
import { didYouMean, quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { nearest } from '../../base/suggest.ts'

/**
 * Prefix that hides a negative number from `parseArgs`, which would read options. No word of a command line contains
 * it.
 */
const NO_OPTION = '\0'

/** Returns whether `--help` or `--version` is present. They take precedence over errors in the other words. */
export function hasOption(option: 'help' | 'version', words: readonly string[]): boolean {
  const end = words.indexOf('--')
  const before = end === -1 ? words : words.slice(0, end)
  return before.includes(`--${option}`) || before.includes(`-${COMMON_OPTIONS[option]?.short}`)
}

/**
 * Parses the words after a command's name.
 *
 * @throws UsageError - an option is unknown or lacks its value, or the number of arguments is wrong.
 */
export function parse(command: Command, words: readonly string[]): ParsedArguments {
  const options: Record<string, OptionSpec> = { ...command.options, ...COMMON_OPTIONS }
  const { tokens, positionals: marked } = parseArgs({
    args: words.map((word) => (/^-\d/.test(word) ? NO_OPTION + word : word)),
    options: Object.fromEntries(
      Object.entries(options).map(([name, { value, short }]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', ...(short && { short }) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const given = new Map<string, string[]>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const spec = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (spec === undefined) throw unknownOption(command, token.rawName, Object.keys(options))
    const value = checkedValue(spec, token.rawName, unmarked(token.value))
    given.set(token.name, [...(given.get(token.name) ?? []), value])
  }
  const positionals = marked.map(unmarked)
  checkCount(command, positionals)
  return {
    arguments: positionals,
    flag: (name) => given.has(name),
    value: (name) => given.get(name)?.at(-1),
    values: (name) => given.get(name) ?? [],
  }
}

function unmarked<Word extends string | undefined>(word: Word): Word | string {
  return word?.startsWith(NO_OPTION) ? word.slice(NO_OPTION.length) : word
}

/** Returns the usage line of a command. */
export function usage(command: Command): string {
  const parts = [programOf(command), ...command.arguments.map(argumentUsage)]
  if (Object.keys(command.options).length > 0) parts.push(command.typed?.options ?? '[options]')
  return parts.join(' ')
}

function argumentUsage(spec: ArgumentSpec): string {
  const name = `${spec.name}${spec.rest ? '...' : ''}`
  return spec.optional ? `[${name}]` : name
}

function unknownOption(command: Command, rawName: string, known: string[]): UsageError {
  const guess = rawName.startsWith('--') ? nearest(rawName.slice(2), known) : undefined
  const program = programOf(command)
  const fix = didYouMean(guess, `see '${program} --help'`, '--')
  return new UsageError(`'${program}' has no option ${quoted(rawName)}`, fix)
}

/** Returns the value of an option, and `''` for an option that takes none. */
function checkedValue(spec: OptionSpec, rawName: string, value: string | undefined): string {
  if (spec.value === undefined) {
    if (value === undefined) return ''
    throw new UsageError(`'${rawName}' takes no value, but got ${quoted(value)}`, `write just '${rawName}'`)
  }
  if (value === undefined || value === '' || (value.startsWith('-') && value.length > 1)) {
    throw new UsageError(`'${rawName}' needs a value`, `write '${rawName}=${spec.value}'`)
  }
  return value
}

function checkCount(command: Command, given: readonly string[]): void {
  const least = command.arguments.filter((spec) => spec.optional !== true).length
  const most = command.arguments.some((spec) => spec.rest) ? Number.POSITIVE_INFINITY : command.arguments.length
  if (given.length >= least && given.length <= most) return
  const count = given.length === 1 ? '1 argument' : `${given.length} arguments`
  throw new UsageError(`'${programOf(command)}' does not take ${count}`, `write '${usage(command)}'`)
}
