import type { Terminal } from './terminal.ts'

/** An option of a command. Parser and help read the same table. */
export interface OptionSpec {
  /** One letter, for instance `h` for `-h`. */
  readonly short?: string
  /** Placeholder of the value in the help, for instance `PORT`. An option without it takes no value. */
  readonly value?: string
  readonly summary: string
}

/** A positional argument of a command. */
export interface ArgumentSpec {
  readonly name: string
  readonly summary: string
  readonly optional?: boolean
  /** Whether the argument takes all words that follow. */
  readonly rest?: boolean
}

/** The parsed words after a command's name. */
export interface ParsedArguments {
  readonly arguments: readonly string[]
  /** Returns whether a boolean option was given. */
  flag(name: string): boolean
  /** Returns the value of an option, the last one if it was given several times, or undefined if it was not given. */
  value(name: string): string | undefined
  /** Returns the values of an option that can be repeated, in order. */
  values(name: string): readonly string[]
}

/** The terminal and the version, passed to every command. */
export interface Context extends Terminal {
  readonly version: string
}

/** A command: its name, arguments, options, help and function. */
export interface Command {
  readonly name: string
  /** The usage line: the program and its options. Default: `propylon NAME` and `[options]`. */
  readonly typed?: { readonly program: string; readonly options: string }
  readonly summary: string
  readonly arguments: readonly ArgumentSpec[]
  readonly options: Readonly<Record<string, OptionSpec>>
  /** Further paragraphs of the help. */
  readonly details?: readonly string[]
  readonly examples: readonly string[]
  /**
   * Whether the command imports the project's TypeScript files: always, without arguments, or only if this Node runs
   * them.
   */
  readonly importsProject?: 'always' | 'without arguments' | 'where possible'
  /**
   * Runs the command.
   *
   * @returns the exit status.
   * @throws UsageError - the command cannot run. Nothing was done.
   */
  run(parsed: ParsedArguments, context: Context): number | Promise<number>
}

/** The options of every command. */
export const COMMON_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  help: { short: 'h', summary: 'Show this help' },
  version: { short: 'v', summary: 'Show the version' },
}

/** Returns the words with which a command is called. */
export function programOf({ name, typed }: Command): string {
  return typed?.program ?? `propylon ${name}`
}

/** Returns a required argument, whose presence the parser has checked. */
export function argument(parsed: ParsedArguments, index: number): string {
  const text = parsed.arguments[index]
  if (text === undefined) throw new RangeError(`The command has no required argument ${index}.`)
  return text
}
