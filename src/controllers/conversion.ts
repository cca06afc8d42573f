/** Converts the arguments of a method by the converters that `static args` declares. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeValue } from '../base/describe.ts'
import { isPromise } from '../base/promise.ts'
import { emptyObject } from '../base/record.ts'
import { isConverter, schemaName, validateText, validateValue } from '../http/converters/converter.ts'
import { HTTPBadRequest, HTTPNotFound } from '../http/exceptions.ts'
import { issueMessage, textIssue } from '../http/languages/translation.ts'
import { itemsOf, type QueryParams } from '../http/query.ts'
import { decodeMarked, markEscapes } from '../routing/percent.ts'
import { rawPathInfo } from '../wsgi/request-url.ts'
import type { Environ } from '../wsgi/types.ts'
import type { Converters } from './declared-arguments.ts'
import type { NamedArguments } from './method-binding.ts'

/** The values of a request that arguments are made of. */
export interface ArgumentSource {
  /** Values of the match. Null counts as missing. */
  readonly match: NamedArguments
  /** Values of a call that is not made of text, such as a tool's. The path and the query of its request are made of them. */
  readonly given?: Readonly<Record<string, unknown>> | undefined
  /** Returns the query. It is parsed only for an argument that the match lacks. */
  query(): QueryParams
  /** The environ, for the language of messages. */
  readonly environ: Environ
  /** Returns true if a 404 may say why the path does not convert. */
  showsErrors(): boolean
}

/** An argument of the query that was refused, in the problem document of the 400. */
export interface ArgumentError {
  readonly name: string
  readonly detail: string
}

interface Argument {
  readonly name: string
  readonly schema: StandardSchemaV1
  /** Whether it comes from the match. Otherwise it comes from the query. */
  readonly isInPath: boolean
  readonly value: unknown
  /** Whether the value has its JSON type. Otherwise it is text, or several texts. */
  readonly isGiven: boolean
}

type Result = StandardSchemaV1.Result<unknown>

/**
 * Converts the arguments of a method. An argument comes from the match, or from the query if the match lacks it.
 *
 * @param label - class and method for messages.
 * @returns the converted values by name, as a promise only if a schema is asynchronous.
 * @throws HTTPNotFound - a value of the match is refused.
 * @throws HTTPBadRequest - values of the query are refused. Its problem document lists them as `errors`.
 */
export function convertArguments(
  label: string,
  converters: Converters,
  source: ArgumentSource,
): NamedArguments | Promise<NamedArguments> {
  const argumentList: Argument[] = []
  for (const [name, schema] of converters) argumentList.push(argumentOf(name, schema, source))
  const results = argumentList.map(validate)
  if (results.every(isSettled)) return valuesOf(label, argumentList, results, source)
  return Promise.all(results).then((settled) => valuesOf(label, argumentList, settled, source))
}

function argumentOf(name: string, schema: StandardSchemaV1, source: ArgumentSource): Argument {
  const { match, given, environ } = source
  const matched = match[name] ?? undefined
  const isInPath = matched !== undefined
  if (given !== undefined && (!isInPath || Object.hasOwn(given, name))) {
    return { name, schema, isInPath, value: given[name], isGiven: true }
  }
  const isList = isRepeatable(schema)
  if (isInPath) {
    const value = isList ? itemsInPath(environ, matched) : matched
    return { name, schema, isInPath, value, isGiven: false }
  }
  const texts = source.query().getAll(name)
  const isSingle = texts.length === 1
  const value = isList && isSingle ? itemsOf(environ.QUERY_STRING, name) : texts.length > 1 ? texts : texts[0]
  return { name, schema, isInPath, value, isGiven: false }
}

/** Returns the items of a list in the path. A comma that is percent-encoded is part of an item. */
function itemsInPath(environ: Environ, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const path = markEscapes(rawPathInfo(environ)) ?? ''
  const at = decodeMarked(path).lastIndexOf(value)
  const marked = at < 0 ? value : path.slice(at, at + value.length)
  return marked.split(',').map(decodeMarked)
}

function isRepeatable(schema: StandardSchemaV1): boolean {
  return isConverter(schema) && schema.repeatable
}

function validate({ schema, isInPath, value, isGiven }: Argument): Result | Promise<Result> {
  if (isGiven) return validateValue(schema, value)
  // Taking one of several values would leave the other unnoticed: of a checkbox and its hidden field, for instance.
  if (!isInPath && Array.isArray(value) && !isRepeatable(schema)) {
    return { issues: [textIssue('propylon.value.repeated', { count: value.length })] }
  }
  return validateText(schema, value)
}

function isSettled(result: Result | Promise<Result>): result is Result {
  return !isPromise(result)
}

function valuesOf(
  label: string,
  argumentList: readonly Argument[],
  results: readonly Result[],
  source: ArgumentSource,
): NamedArguments {
  const values: NamedArguments = emptyObject()
  const errors: ArgumentError[] = []
  let index = 0
  for (const argument of argumentList) {
    const result = results[index++]
    if (result?.issues === undefined) values[argument.name] = result?.value
    else if (argument.isInPath) throw notFound(label, argument, result.issues, source)
    else
      for (const issue of result.issues)
        errors.push({ name: argument.name, detail: issueMessage(issue, source.environ) })
  }
  if (errors.length === 0) return values
  const detail = errors.map((error) => `${error.name}: ${error.detail}`).join('; ')
  throw new HTTPBadRequest(detail, undefined, { json: { errors } })
}

function notFound(
  label: string,
  { name, schema, value }: Argument,
  issues: readonly StandardSchemaV1.Issue[],
  source: ArgumentSource,
): HTTPNotFound {
  if (!source.showsErrors()) return new HTTPNotFound()
  const reasons = issues.map(({ message }) => message).join('; ')
  return new HTTPNotFound(
    `${label} takes "${name}" as ${schemaName(schema)}. The path has ${describeValue(value)}: ${reasons}.`,
  )
}
