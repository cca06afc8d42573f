import { argument, COMMON_OPTIONS, type Command } from '../command.ts'
import { Refusal } from '../refusal.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** `propylon completion bash|zsh|fish` */
export const completion: Command = {
  name: 'completion',
  summary: 'Print a script that completes commands and options in a shell',
  arguments: [{ name: 'SHELL', summary: 'bash, zsh or fish', choices: SHELLS }],
  options: {},
  examples: [
    'source <(propylon completion bash)',
    'propylon completion zsh > ~/.zfunc/_propylon',
    'propylon completion fish > ~/.config/fish/completions/propylon.fish',
  ],
  run(invocation, { commands, stdout }) {
    const scripts: Record<(typeof SHELLS)[number], (commands: readonly Command[]) => string> = {
      bash,
      zsh,
      fish,
    }
    const shell = SHELLS.find((known) => known === argument(invocation, 0))
    if (shell === undefined)
      throw new Refusal('there is no completion for that shell', `choose one of ${SHELLS.join(', ')}`)
    stdout.write(scripts[shell](commands))
    return 0
  },
}

/** The words that may follow a command: its options and the choices of its arguments. */
function wordsAfter(command: Command): string[] {
  const options = Object.keys({ ...command.options, ...COMMON_OPTIONS }).map((name) => `--${name}`)
  return [...command.arguments.flatMap((spec) => spec.choices ?? []), ...options]
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map((command) => `    ${command.name}) words='${wordsAfter(command).join(' ')}' ;;`)
  return `_propylon() {
  local words word="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${commands.map(({ name }) => name).join(' ')} --help --version'
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _propylon propylon
`
}

function zsh(commands: readonly Command[]): string {
  const described = commands.map(({ name, summary }) => `    '${name}:${inQuotes(summary)}'`)
  const cases = commands.map(
    (command) =>
      `    ${command.name}) _alternative 'words:word:(${wordsAfter(command).join(' ')})' 'files:file:_files' ;;`,
  )
  return `#compdef propylon
_propylon() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _propylon ]; then _propylon "$@"; else compdef _propylon propylon; fi
`
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const after = `complete -c propylon -n '__fish_seen_subcommand_from ${command.name}'`
    const choices = command.arguments.flatMap((spec) => spec.choices ?? [])
    return [
      `complete -c propylon -n __fish_use_subcommand -f -a ${command.name} -d '${inQuotes(command.summary)}'`,
      ...(choices.length === 0 ? [] : [`${after} -f -a '${choices.join(' ')}'`]),
      ...Object.entries({ ...command.options, ...COMMON_OPTIONS }).map(([name, spec]) => {
        const short = spec.short === undefined ? '' : ` -s ${spec.short}`
        return `${after} -l ${name}${short}${spec.type === 'string' ? ' -r' : ''} -d '${inQuotes(spec.summary)}'`
      }),
    ]
  })
  return `${lines.join('\n')}\n`
}

function inQuotes(text: string): string {
  return text.replaceAll("'", '’').replaceAll(':', ' -')
}
