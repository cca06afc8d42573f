import { usage } from './arguments.ts'
import { COMMON_OPTIONS, type Command, type OptionSpec } from './command.ts'
import { columns, type Paint } from './terminal.ts'

/** The help of the whole program. */
export function programHelp(commands: readonly Command[], version: string, paint: Paint): string {
  return [
    `propylon ${version}: a web framework whose heart is the controller layer`,
    '',
    heading('Usage', paint),
    '  propylon COMMAND [arguments] [options]',
    '',
    heading('Commands', paint),
    ...table(
      commands.map((command) => [command.name, command.summary]),
      paint,
    ),
    '',
    heading('Options', paint),
    ...table(optionRows(COMMON_OPTIONS), paint),
    '',
    heading('Example', paint),
    '  propylon create my-site',
    '',
    "'propylon COMMAND --help' explains a command.",
    '',
  ].join('\n')
}

/** The help of one command, with its examples. */
export function commandHelp(command: Command, paint: Paint): string {
  const lines = [command.summary, '', heading('Usage', paint), `  ${usage(command)}`, '']
  if (command.arguments.length > 0) {
    const rows = command.arguments.map(({ name, summary }): [string, string] => [name, summary])
    lines.push(heading('Arguments', paint), ...table(rows, paint), '')
  }
  lines.push(
    heading('Options', paint),
    ...table([...optionRows(command.options), ...optionRows(COMMON_OPTIONS)], paint),
    '',
  )
  for (const paragraph of command.details ?? []) lines.push(paragraph, '')
  lines.push(heading(command.examples.length === 1 ? 'Example' : 'Examples', paint))
  for (const example of command.examples) lines.push(`  ${example}`)
  lines.push('')
  return lines.join('\n')
}

function optionRows(options: Readonly<Record<string, OptionSpec>>): [string, string][] {
  return Object.entries(options).map(([name, spec]) => {
    const short = spec.short === undefined ? '    ' : `-${spec.short}, `
    const value = spec.type === 'string' ? ` ${spec.value ?? 'VALUE'}` : ''
    return [`${short}--${name}${value}`, spec.summary]
  })
}

function heading(text: string, paint: Paint): string {
  return paint('bold', `${text}:`)
}

function table(rows: readonly [name: string, summary: string][], paint: Paint): string[] {
  return columns(rows.map(([name, summary]) => [`  ${paint('cyan', name)}`, summary]))
}
