/**
 * The module below `.propylon/` with a line for each question that only the compiler can answer.
 *
 * @module
 */
import { dirname, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isConverter } from '../../http/converters/converter.ts'
import type { TemplateCode } from '../sources/template-files.ts'
import {
  bodyOf,
  type CheckedClass,
  converterOf,
  hasOwnDecorator,
  type Method,
  overridesArguments,
  type Project,
} from './project.ts'
import { callsOf } from './rules/arguments.ts'

/** A question to the compiler about a method: whether a type fits another one. */
export interface Question {
  /**
   * Whether a parameter takes its values (`argument`), a converter takes text (`text`), a result is what its schema
   * takes (`result`) or can be sent (`sendable`), a page reads members of the result (`page`), or a procedure returns
   * a value (`procedure`).
   */
  readonly kind: 'argument' | 'text' | 'result' | 'sendable' | 'page' | 'procedure'
  readonly one: CheckedClass
  readonly method: Method
  readonly argument?: string
  /** The source of the argument. */
  readonly source?: string
  readonly page?: TemplateCode
  readonly wanted: string
  readonly given: string
}

/** The members of `it` that every page has. */
const CONTEXT = new Set(['asset', 'body', 'c', 'nonce', 'request', 'result', 'session', 't', 'url'])

/** The types of the arguments that come from the request; any type for an error. */
const REQUEST_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({ environ: 'Environ', error: 'never', signal: 'AbortSignal', start_response: 'StartResponse' }),
)

/** The questions about the classes that modules in TypeScript export. */
export class Questions {
  readonly all: Question[] = []
  readonly #types = new Map<CheckedClass, string>()

  /** @param path - the module of the questions. */
  static async of(project: Project, path: string): Promise<Questions> {
    const questions = new Questions()
    for (const one of project.classes) {
      const type = await exportedType(one, project, path)
      if (type !== undefined) questions.#types.set(one, type)
    }
    for (const { one, method, routes } of callsOf(project)) {
      if (!overridesArguments(one) && !method.takesAll) questions.#askArguments(one, method)
      if (method.isAction && routes.length > 0) questions.#askResult(one, method, project)
    }
    for (const one of project.classes) {
      const isEmptyFault =
        one.isService && one.faces.includes('xmlrpc') && !Reflect.get(one.controllerClass, 'allowNil')
      for (const method of isEmptyFault ? one.methods.values() : [])
        if (method.isAction)
          questions.#ask({ kind: 'procedure', one, method, wanted: 'never', given: 'EmptyResult<$>' })
    }
    return questions
  }

  /** The text of the module. */
  get text(): string {
    const lines = this.all.map(({ wanted, given, method: { label }, kind, argument = '', page }) => {
      return `  Fits<${wanted}, ${given}>, // ${label}(): ${kind} ${argument}${page?.file ?? ''}`.trimEnd()
    })
    const used = new Set(lines.join('\n').match(/\w+/g))
    const imports = Object.entries(IMPORTS).flatMap(([from, names]) => {
      const taken = names.split(' ').filter((name) => used.has(name))
      return taken.length === 0 ? [] : [`import type { ${taken.join(', ')} } from '${from}'`]
    })
    const types = [...this.#types.values()].map((type, index) => [`C${index}`, type] as const)
    const classes = types.flatMap(([name, type]) => (used.has(name) ? [`type ${name} = ${type}`] : []))
    return [HEAD, ...imports, '', ...classes, '', OPENING, ...lines, ']', ''].join('\n')
  }

  /** Returns the question of a line, from 1. */
  at(line: number): Question | undefined {
    return this.all[line - this.text.split(OPENING, 1).join().split('\n').length - 1]
  }

  /** Adds a question, in which `$` is the class and the action. */
  #ask(question: Question): void {
    const { one, method, wanted, given } = question
    const index = [...this.#types.keys()].indexOf(one)
    if (index < 0 || hasOwnDecorator(method)) return
    const [a = '', b = ''] = [wanted, given].map((type) => type.replaceAll('$', `C${index}, '${method.name}'`))
    this.all.push({ ...question, wanted: a, given: b })
  }

  #askArguments(one: CheckedClass, method: Method): void {
    for (const [index, argument] of method.parameters.entries()) {
      const converter = converterOf(method, argument)
      const isBody = bodyOf(method)?.name === argument
      const wanted = `ParameterOf<$, '${method.isDestructured ? argument : index}'>`
      const [source, given] =
        converter === undefined
          ? ['the match', REQUEST_TYPES.get(argument) ?? `MatchText<${wanted}>`]
          : [isBody ? 'the schema of its body' : 'its converter', `ConvertedBy<$, '${argument}'>`]
      const question = { one, method, argument, source }
      if (converter !== undefined && !isBody && !isConverter(converter)) {
        const input = `ConverterInput<$, '${argument}'>`
        this.#ask({ ...question, kind: 'text', wanted: input, given: `MatchText<${input}>` })
      }
      this.#ask({ ...question, kind: 'argument', wanted, given })
    }
  }

  #askResult(one: CheckedClass, method: Method, { templates }: Project): void {
    const { schema, page: name } = method.result
    const isJson = method.decorations.some(({ decorator }) => decorator === 'jsonify')
    if (schema !== undefined && !isJson)
      this.#ask({ kind: 'result', one, method, wanted: 'DeclaredResultOf<$>', given: 'ResultOf<$>' })
    else if (!isJson) this.#ask({ kind: 'sendable', one, method, wanted: 'never', given: 'UnsendableResult<$>' })
    const [page] =
      name === undefined || one.methods.has('render') || templates?.faultOf(name) ? [] : (templates?.code(name) ?? [])
    const read = [...(page?.members.keys() ?? [])].filter((member) => !CONTEXT.has(member))
    if (page === undefined || read.length === 0) return
    const given = read.map((member) => JSON.stringify(member)).join(' | ')
    this.#ask({ kind: 'page', one, method, page, wanted: 'ResultMember<$>', given })
  }
}

/** Returns the type of a class that a module in TypeScript exports. */
async function exportedType(one: CheckedClass, { sources }: Project, from: string): Promise<string | undefined> {
  const path = one.file ?? sources.classOf(one.controllerClass)?.source.path
  if (path === undefined || !/\.m?ts$/.test(path)) return undefined
  const module: object = await import(pathToFileURL(path).href)
  const [name] = Object.entries(module).find(([, value]) => value === one.controllerClass) ?? []
  const specifier = relative(dirname(from), path).replaceAll(sep, '/')
  return name === undefined ? undefined : `typeof import(${JSON.stringify(specifier)})['${name}']`
}

const HEAD =
  '// Written by propylon check, which shows what the compiler says to these lines. Do not edit or commit it.'
const OPENING = 'export type Questions = ['

/** The types that lines name, by the entries that export them. */
const IMPORTS = {
  propylon:
    'ConvertedBy ConverterInput DeclaredResultOf EmptyResult Fits MatchText ParameterOf ResultMember ResultOf UnsendableResult',
  'propylon/wsgi': 'Environ StartResponse',
}
