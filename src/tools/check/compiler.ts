/**
 * Runs the project's compiler over the project and the module of questions, and translates its answers.
 *
 * @module
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { isRecord } from '../../base/record.ts'
import { nearest } from '../../base/suggest.ts'
import { errorSummary } from '../../base/thrown.ts'
import { didYouMean, type Finding } from './finding.ts'
import { messageTypes } from './messages.ts'
import type { Project } from './project.ts'
import { type Question, Questions } from './types.ts'

/** Findings of the compiler, or the reason why types were not checked. */
type CheckedTypes = { readonly findings: readonly Finding[]; readonly skipped?: string }

const CONFIG = {
  extends: '../tsconfig.json',
  compilerOptions: {
    // A project may build: the module is no part of that.
    ...{ allowImportingTsExtensions: true, composite: false, noEmit: true, rootDir: '/' },
    // A check after which nothing has changed takes a fraction of the time.
    ...{ incremental: true, tsBuildInfoFile: './check.tsbuildinfo' },
  },
  files: ['./controllers.ts', './messages.ts'],
}

/** Writes the modules for the compiler, and checks the types of a project. */
export async function checkTypes(project: Project, root: string): Promise<CheckedTypes> {
  if (!existsSync(join(root, 'tsconfig.json'))) return { findings: [], skipped: 'the project has no tsconfig.json' }
  const folder = join(root, '.propylon')
  const path = join(folder, 'controllers.ts')
  const questions = await Questions.of(project, path)
  const written = {
    '.gitignore': '*\n',
    'controllers.ts': questions.text,
    'messages.ts': project.messages === undefined ? 'export {}\n' : messageTypes(project.messages),
    'tsconfig.json': JSON.stringify(CONFIG, null, 2),
  }
  try {
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of Object.entries(written)) {
      const file = join(folder, name)
      if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
    }
  } catch (error) {
    return { findings: [], skipped: `.propylon cannot be written: ${errorSummary(error)}` }
  }
  const compiler = findCompiler(root)
  if (compiler === undefined) return { findings: [], skipped: 'TypeScript is not installed in the project' }
  const output = await run(compiler, root)
  const answers = answersIn(output)
  if (output.trim() !== '' && answers.length === 0)
    return { findings: [], skipped: `the compiler failed: ${output.trim().split('\n', 1)[0]}` }
  const answered = new Set<string>()
  const findings = answers.flatMap((answer): Finding[] => {
    const file = answer.file === undefined ? undefined : resolve(root, answer.file)
    if (file !== path) {
      const place = file === undefined ? undefined : { file, line: answer.line, column: answer.column }
      return [{ code: 'type-error', place, message: `${answer.lines.join(' ')} (${answer.code})`, fix: '' }]
    }
    const question = questions.at(answer.line)
    const reason = reasonOf(answer.lines)
    // One finding for each action. What the project itself has wrong is reported at its own place.
    if (question === undefined || reason === undefined) return []
    const { one, method, argument } = question
    if (answered.has(`${one.name}.${method.name}`)) return []
    answered.add(`${one.name}.${method.name}`)
    return [{ ...translate(question, reason, project), controller: one.name, action: method.name, argument }]
  })
  return { findings }
}

/** Returns the words that run the `tsc` that is installed for a project. */
function findCompiler(root: string): readonly string[] | undefined {
  const folders = createRequire(join(root, 'package.json')).resolve.paths('typescript') ?? []
  const files = folders.map((folder) => join(folder, 'typescript', 'package.json'))
  const file = files.find((each) => existsSync(each))
  const description: unknown = file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8'))
  if (file === undefined || !isRecord(description) || !isRecord(description.bin)) return undefined
  // Several checkers of TypeScript 7 infer the types of routes and schemas each for themselves.
  const isParallel = Number.parseInt(String(description.version), 10) >= 7
  return [join(dirname(file), String(description.bin.tsc)), ...(isParallel ? ['--checkers', '1'] : [])]
}

function run(compiler: readonly string[], root: string): Promise<string> {
  const words = [...compiler, '-p', join('.propylon', 'tsconfig.json'), '--pretty', 'false', '--locale', 'en']
  const options = { cwd: root, env: { ...process.env, NODE_OPTIONS: '' }, maxBuffer: 2 ** 28 }
  return new Promise((done) => {
    execFile(process.execPath, words, options, (error, stdout, stderr) =>
      done(error === null ? '' : stdout || stderr || error.message),
    )
  })
}

/** Parses the errors in the output of the compiler, each with the reasons below its message. */
function answersIn(output: string) {
  return output.split(/\r?\n(?!\s)/).flatMap((text) => {
    const [message = '', ...reasons] = text.split(/\r?\n/)
    const [, file, line, column, code, first = ''] =
      /^(?:(.+?)\((\d+),(\d+)\): )?error (TS\d+): (.*)$/.exec(message) ?? []
    const lines = [first, ...reasons.map((reason) => reason.trim())].filter((each) => each !== '')
    return code === undefined ? [] : [{ file, line: Number(line), column: Number(column), code, lines }]
  })
}

const COMPARED =
  /^Type '(.+?)' (?:does not satisfy the constraint|is not assignable to type|is missing the following properties from type) '(.+?)'(?:[.:]|$)/
const LACKING = /^Property '(.+?)' is missing in type|is missing the following properties from type '.*?': (.+)$/
const INSIDE = /^(?:Types of property|The types of) '(.+?)'/

/** The reason for which a type does not fit. */
type Reason = NonNullable<ReturnType<typeof reasonOf>>

/** Returns undefined for an error of another kind. */
function reasonOf(lines: readonly string[]) {
  const compared = lines.flatMap((line) => {
    const [, given, wanted] = COMPARED.exec(line) ?? []
    return given === undefined || wanted === undefined ? [] : [[shortened(given), shortened(wanted)] as const]
  })
  const lacks = lines.flatMap((line) => {
    const [, one, several] = LACKING.exec(line) ?? []
    return one === undefined ? (several?.replace(/, and \d+ more.*$/, '').split(', ') ?? []) : [one]
  })
  if (compared.length === 0 && lacks.length === 0) return undefined
  return {
    /** The members on the way to the part that is wrong: `author.name`. Empty for the whole. */
    path: lines.flatMap((line) => INSIDE.exec(line)?.[1] ?? []).join('.'),
    /** The members that the part lacks. An array is missing as a whole. */
    lacks: lacks.includes('length') ? [] : lacks,
    /** The types that were given and wanted: as a whole, and of the part. */
    whole: compared[0] ?? (['', ''] as const),
    part: compared.at(-1) ?? (['', ''] as const),
  }
}

/** Maximum length of a type in a sentence. */
const MAX_TYPE = 80

function shortened(type: string): string {
  const text = type.replaceAll('readonly ', '')
  return text.length > MAX_TYPE ? `${text.slice(0, MAX_TYPE - 1)}…` : text
}

/** Returns what is wrong in the words of the framework. */
function translate(question: Question, reason: Reason, { sources }: Project): Finding {
  const { kind, one, method, argument, source, page } = question
  const { label, name } = method
  const [given, wanted] = reason.whole
  const place = sources.ofMethod(one.controllerClass, name, argument)
  switch (kind) {
    case 'argument': {
      const lacks = reason.lacks.length === 0 ? '' : `, which lacks ${quoted(reason.lacks)}`
      const message = `${label}() declares the argument "${argument}" as ${wanted}, but ${source} gives ${given}${lacks}.`
      const fix = source === 'the match' ? conversion(name, argument, wanted) : `Declare it as ${given}.`
      return { code: 'argument-type', place, message, fix }
    }
    case 'text': {
      const message = `The schema that static args of ${one.className} has for "${argument}" of ${label}() takes ${wanted} and no text, but values of paths and queries are text.`
      const fix =
        'Use a converter of propylon/converters (optional(int, 3), list(string)), or a schema that converts text.'
      const declared = sources.ofEntry(one.controllerClass, 'args', name, argument ?? '')
      return { code: 'args-no-text', place: declared, message, fix }
    }
    case 'result': {
      const message = `${label}(): ${resultProblem(method.result.schema, reason)}.`
      const fix = 'Return what the schema takes, or declare another schema.'
      return { code: 'result-type', place, message, fix }
    }
    case 'sendable': {
      const literal = /^-?\d/.test(given) ? 'number' : /^(?:true|false)\b/.test(given) ? 'boolean' : undefined
      const message = `${label}(): the result may be a ${literal === undefined ? given : `${literal} (${given})`}, which cannot be sent.`
      const fix = 'Return text, an object or an array (JSON), bytes, a Response or null, or decorate it with jsonify.'
      return { code: 'result-unusable', place, message, fix }
    }
    case 'page': {
      const member = /^"(.*?)"/.exec(reason.part[0])?.[1] ?? ''
      const members = Array.from(wanted.matchAll(/"(.*?)"/g), ([, each = '']) => each)
      const list = members.join(', ') || 'no members'
      const message = `${page?.file} reads it.${member}, which ${label}() does not return. Its result has ${list}.`
      const fix = didYouMean(nearest(member, members), 'Return it, correct the name, or set it in this.c.')
      return { code: 'template-member', place: page?.members.get(member) ?? place, message, fix }
    }
    default: {
      const message = `${label}() returns nothing, which XML-RPC cannot express.`
      const fix = 'Return a value, such as true, or allow <nil/> by static allowNil = true.'
      return { code: 'procedure-void', place, message, fix }
    }
  }
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}

function resultProblem(schema: unknown, { path, lacks, part: [given, wanted] }: Reason): string {
  const subject = path === '' ? 'the result' : `"${path}" of the result`
  if (lacks.length > 0) return `${subject} lacks ${quoted(lacks)}, which static results requires`
  if (schema === null) return `the result is ${given}, but static results says that the action gives no value (null)`
  if (given === 'undefined' && path === '')
    return 'created() or done() has no value, but static results has a schema for it'
  return `${subject} is ${given}, but static results takes ${wanted}`
}

/** Converters of `propylon/converters` by the types that they give. */
const CONVERTERS: ReadonlyMap<string | undefined, string> = new Map(
  Object.entries({ '[]': 'list(…)', boolean: 'bool', Date: 'isoDate', number: 'int' }),
)

function conversion(action: string, argument: string | undefined, wanted: string): string {
  const converter = CONVERTERS.get(/\[\]$|^(?:number|boolean|Date)\b/.exec(wanted)?.[0])
  const declaration = `static args = { ${action}: { ${argument}: ${converter ?? '…'} } }`
  if (converter === undefined) return `Declare it as string, or convert it: ${declaration}.`
  return `Convert it, ${declaration} with ${converter.replace('(…)', '')} of propylon/converters, or declare it as string.`
}
