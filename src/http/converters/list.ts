import type { StandardSchemaV1 } from '@standard-schema/spec'
import { isPromise } from '../../base/promise.ts'
import { textIssue, textOfIssue } from '../languages/translation.ts'
import {
  accept,
  type Converter,
  describedSchema,
  makeConverter,
  refuse,
  schemaName,
  validateText,
  validateValue,
} from './converter.ts'

/**
 * Accepts a list of values: a repeated name in a query (`?id=1&id=2`), or one value with commas between the items. A
 * comma that is percent-encoded belongs to an item: `?name=a%2Cb,c` are two.
 *
 * @param converter - converts each item: a converter or any other Standard Schema.
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { int, list } from 'propylon/converters'
 *
 * export class UsersController extends WSGIController {
 *   static args = { compare: { ids: list(int) } } // /users/compare/1,2 or /users/compare?ids=1&ids=2
 *
 *   compare(ids: readonly number[]) {
 *     return ids.join(' and ')
 *   }
 * }
 * ```
 */
export function list<S extends StandardSchemaV1>(
  converter: S,
): Converter<readonly StandardSchemaV1.InferOutput<S>[], string | readonly string[]>
export function list(schema: StandardSchemaV1): Converter<readonly unknown[], string | readonly string[]> {
  const validateEach = (items: readonly unknown[], validate: (item: unknown) => Result | Promise<Result>) => {
    const results = items.map((item) => validate(item))
    return results.some(isPromise) ? Promise.all(results).then(collect) : collect(results.filter(isSettled))
  }
  const validate = (value: unknown) => {
    const texts = typeof value === 'string' ? value.split(',') : value
    if (isTexts(texts)) return validateEach(texts, (item) => validateText(schema, item))
    return refuse(value === undefined ? 'propylon.value.missing' : 'propylon.value.text')
  }
  return makeConverter({
    name: `list(${schemaName(schema)})`,
    repeatable: true,
    items: schema,
    jsonSchema: {
      input: () => ({ type: 'string' }),
      output: (options) => ({ type: 'array', items: describedSchema(schema, 'output', options) }),
    },
    validate,
    accept: (value) =>
      Array.isArray(value) ? validateEach(value, (item) => validateValue(schema, item)) : validate(value),
  })
}

type Result = StandardSchemaV1.Result<unknown>

function isSettled(result: Result | Promise<Result>): result is Result {
  return !isPromise(result)
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')
}

/** Returns the values of all items, or the issues of the first item that is refused. */
function collect(results: readonly Result[]): StandardSchemaV1.Result<readonly unknown[]> {
  const values: unknown[] = []
  for (const [index, result] of results.entries()) {
    if (result.issues === undefined) {
      values.push(result.value)
      continue
    }
    const number = results.length === 1 ? undefined : index + 1
    return { issues: result.issues.map((issue) => itemIssue(issue, index, number)) }
  }
  return accept(values)
}

/** Returns the issue of an item with its path. The number of an item is in the message if there are several. */
function itemIssue(issue: StandardSchemaV1.Issue, index: number, number: number | undefined): StandardSchemaV1.Issue {
  const path = [index, ...(issue.path ?? [])]
  const message = textOfIssue(issue)
  if (number !== undefined) return textIssue('propylon.value.item', { number, message }, path)
  return typeof message === 'string' ? { message, path } : textIssue(message.key, message.values, path)
}
