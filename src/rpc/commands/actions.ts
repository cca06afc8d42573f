import type { Context, ParsedArguments } from '../../base/command-line/command.ts'
import { oneLine, quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { Progress } from '../../base/command-line/progress.ts'
import { complain, print } from '../../base/command-line/terminal.ts'
import { nearest } from '../../base/suggest.ts'
import { isTable, type Output, resultLines } from './result-text.ts'
import type { Selection, Service } from './service.ts'

const ACTIONS = ['list', 'help', 'call', 'types'] as const

/** Number of methods that a warning names. */
const NAMED = 5

/** Work with a service. */
export type Action = (service: Service, context: Context) => Promise<void>

/**
 * Reads the words after the URL: the name of an action and its arguments.
 *
 * @param command - name of the command, for messages.
 * @throws UsageError - there is no such action, or its arguments are wrong.
 */
export function actionOf(command: string, parsed: ParsedArguments): Action {
  const [name = 'list', ...words] = parsed.arguments.slice(1)
  const only = parsed.value('only') ?? ''
  switch (ACTIONS.find((each) => each === name)) {
    case 'list':
      refuseSurplus(command, name, words, 0)
      return (service, context) => list(service, context, only)
    case 'help': {
      const method = methodIn(name, words)
      refuseSurplus(command, name, words, 1)
      return async (service, context) => print(context, await service.help(method))
    }
    case 'call': {
      const method = methodIn(name, words)
      const output = outputOf(parsed.value('output'))
      return (service, context) => call(service, context, method, words.slice(1), output)
    }
    case 'types': {
      const methods = [...words, ...parsed.values('method')]
      return (service, context) => types(service, context, methods, only)
    }
    case undefined: {
      const guess = nearest(name, ACTIONS)
      const fix = guess === undefined ? `choose one of ${ACTIONS.join(', ')}` : `did you mean '${guess}'?`
      throw new UsageError(`'propylon ${command}' has no action ${quoted(name)}`, fix)
    }
  }
}

function methodIn(action: string, [method]: readonly string[]): string {
  if (method !== undefined) return method
  const rest = action === 'call' ? 'METHOD ARG...' : 'METHOD'
  throw new UsageError(`'${action}' needs a method`, `write ${action} ${rest}`)
}

function refuseSurplus(command: string, action: string, words: readonly string[], allowed: number): void {
  if (words.length <= allowed) return
  throw new UsageError(
    `'${action}' takes no argument ${quoted(words[allowed] ?? '')}`,
    `see 'propylon ${command} --help'`,
  )
}

function outputOf(text: string | undefined): Output | undefined {
  if (text === undefined || text === 'json' || text === 'table') return text
  throw new UsageError(`'--output' is ${quoted(text)}`, 'choose json or table')
}

async function list(service: Service, context: Context, only: string): Promise<void> {
  const names = await service.list()
  print(context, ...names.filter((name) => name.startsWith(only)).map(oneLine))
}

async function call(
  service: Service,
  context: Context,
  method: string,
  words: readonly string[],
  output: Output | undefined,
): Promise<void> {
  const result = await service.call(method, words)
  const suited = context.stdout.isTTY === true && isTable(result) ? 'table' : 'json'
  print(context, ...resultLines(result, output ?? suited))
}

async function types(
  service: Service,
  context: Context,
  methods: readonly string[],
  only: string,
): Promise<void> {
  const failed = new Set<string>()
  const text = await describe(service, context, {
    methods,
    only,
    onFailure: (name) => failed.add(name),
  })
  print(context, text.trimEnd())
  if (failed.size > 0) complain(context, failureText([...failed]))
}

/** Generates types, and shows how many methods are described. */
async function describe(
  service: Service,
  context: Context,
  selection: Omit<Selection, 'onProgress'>,
): Promise<string> {
  using progress = new Progress(context)
  return await service.types({
    ...selection,
    onProgress: ({ done, total }) => progress.show(`${done} of ${total} methods`),
  })
}

function failureText(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).map(oneLine).join(', ')
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
  return `The service did not describe ${shown}${more}. They have the types of a method without a description.`
}
