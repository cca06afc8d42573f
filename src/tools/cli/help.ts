import { COMMON_OPTIONS, type Command, type OptionSpec } from '../../base/command-line/command.ts'
import { columns, type Line, type Styled, styled } from '../../base/command-line/terminal.ts'
import { hasOption, usage } from './arguments.ts'

export function programHelp(commands: readonly Command[], version: string): Line[] {
  return [
    `propylon ${version}: pages, forms and an API from one class`,
    '',
    heading('Usage'),
    '  propylon COMMAND [arguments] [options]',
    '',
    heading('Commands'),
    ...table(commands.map((command) => [command.name, command.summary])),
    '',
    heading('Options'),
    ...table(optionRows(COMMON_OPTIONS)),
    '',
    heading('Example'),
    '  propylon create my-site',
    '',
    "'propylon COMMAND --help' explains a command.",
  ]
}

/** Returns what `--help` or `--version` among the words of a command shows. Undefined without them. */
export function informationOf(command: Command, words: readonly string[], version: string): Line[] | undefined {
  if (hasOption('help', words)) return commandHelp(command)
  return hasOption('version', words) ? [version] : undefined
}

function commandHelp(command: Command): Line[] {
  const lines: Line[] = [command.summary, '', heading('Usage'), `  ${usage(command)}`, '']
  if (command.arguments.length > 0) {
    const rows = command.arguments.map(({ name, summary }): [string, string] => [name, summary])
    lines.push(heading('Arguments'), ...table(rows), '')
  }
  lines.push(heading('Options'), ...table([...optionRows(command.options), ...optionRows(COMMON_OPTIONS)]), '')
  for (const paragraph of command.details ?? []) lines.push(paragraph, '')
  lines.push(heading(command.examples.length === 1 ? 'Example' : 'Examples'))
  for (const example of command.examples) lines.push(`  ${example}`)
  return lines
}

function optionRows(options: Readonly<Record<string, OptionSpec>>): [string, string][] {
  return Object.entries(options).map(([name, spec]) => {
    const short = spec.short === undefined ? '    ' : `-${spec.short}, `
    const value = spec.value === undefined ? '' : ` ${spec.value}`
    return [`${short}--${name}${value}`, spec.summary]
  })
}

function heading(text: string): Styled {
  return styled('bold', `${text}:`)
}

function table(rows: readonly [name: string, summary: string][]): Line[] {
  return columns(rows.map(([name, summary]) => [styled('cyan', `  ${name}`), summary]))
}
