import type { StandardSchemaV1 } from '@standard-schema/spec'
import { isPromise } from '../../base/promise.ts'
import { textIssue, textOfIssue } from '../languages/translation.ts'
import { accept, type Converter, describedSchema, makeConverter, refuse, schemaName } from './converter.ts'

/**
 * Accepts a list of values: separated by commas, and in a query also by repeating the name (`?id=1&id=2,3`). An item
 * cannot contain a comma.
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
  const { validate } = schema['~standard']
  return makeConverter(
    `list(${schemaName(schema)})`,
    true,
    {
      input: () => ({ type: 'string' }),
      output: (options) => ({ type: 'array', items: describedSchema(schema, 'output', options) }),
    },
    (value) => {
      const texts = textsOf(value)
      if (texts === undefined)
        return refuse(value === undefined ? 'propylon.value.missing' : 'propylon.value.text')
      const results = texts.flatMap((text) => text.split(',')).map((item) => validate(item))
      return results.some(isPromise) ? Promise.all(results).then(collect) : collect(results.filter(isSettled))
    },
  )
}

type Result = StandardSchemaV1.Result<unknown>

function isSettled(result: Result | Promise<Result>): result is Result {
  return !isPromise(result)
}

function textsOf(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value) || value.length === 0) return undefined
  return value.every((each) => typeof each === 'string') ? value : undefined
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
function itemIssue(
  issue: StandardSchemaV1.Issue,
  index: number,
  number: number | undefined,
): StandardSchemaV1.Issue {
  const path = [index, ...(issue.path ?? [])]
  const message = textOfIssue(issue)
  if (number !== undefined) return textIssue('propylon.value.item', { number, message }, path)
  return typeof message === 'string' ? { message, path } : textIssue(message.key, message.values, path)
}
