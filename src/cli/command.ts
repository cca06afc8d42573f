import type { Terminal } from './terminal.ts'

/** An option of a command, as the table that both parses and explains it. */
export interface OptionSpec {
  readonly type: 'boolean' | 'string'
  /** One letter, for instance `h` for `-h`. */
  readonly short?: string
  /** What stands for the value in the help, for instance `PORT`. */
  readonly value?: string
  /** The only values allowed. */
  readonly choices?: readonly string[]
  readonly summary: string
}

/** A positional argument of a command. */
export interface ArgumentSpec {
  readonly name: string
  readonly summary: string
  readonly optional?: boolean
  /** Takes all that follows. */
  readonly rest?: boolean
  readonly choices?: readonly string[]
}

/** What was typed after the command's name, checked against its table. */
export interface Invocation {
  readonly arguments: readonly string[]
  /** Whether a boolean option was given. */
  flag(name: string): boolean
  /** The value of an option, undefined when it was not given. */
  value(name: string): string | undefined
}

/** What every command gets beside its own arguments. */
export interface Surroundings extends Terminal {
  readonly version: string
  readonly commands: readonly Command[]
}

/** One command: what it is called, what it takes, how it is explained, and what it does. */
export interface Command {
  readonly name: string
  readonly summary: string
  readonly arguments: readonly ArgumentSpec[]
  readonly options: Readonly<Record<string, OptionSpec>>
  /** More about the command, a paragraph each. */
  readonly details?: readonly string[]
  readonly examples: readonly string[]
  /** Whether the command imports files of the project, which are TypeScript: it has to, or only looks into them where it can. */
  readonly importsProject?: 'always' | 'where possible'
  /** Does the work and gives the exit status. Throws a Refusal to do nothing. */
  run(invocation: Invocation, surroundings: Surroundings): number | Promise<number>
}

/** The options that every command has. */
export const COMMON_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  help: { type: 'boolean', short: 'h', summary: 'Show this help' },
  version: { type: 'boolean', short: 'v', summary: 'Show the version' },
}

/** The first element an array surely has, since the command line was checked against the command's table. */
export function argument(invocation: Invocation, index: number): string {
  const text = invocation.arguments[index]
  if (text === undefined) throw new RangeError(`argument ${index} was not checked for`)
  return text
}
