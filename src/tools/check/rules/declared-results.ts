/**
 * `static results`, `pages` and `statuses`: values that they cannot have, and results that do not fit.
 *
 * @module
 */

import type { ActionDescription } from '../../../controllers/action-description.ts'
import { UNDECLARED } from '../../../controllers/declared-results.ts'
import { acceptsNothing, isSchema } from '../../../http/converters/schema.ts'
import { awaitedShape } from '../annotations.ts'
import type { Finding } from '../finding.ts'
import { expressionsIn } from '../locals.ts'
import { constantOf } from '../lookup.ts'
import {
  type ControllerModel,
  type Located,
  type MethodModel,
  placeOf,
  type StaticEntry,
  textOf,
} from '../model.ts'
import { formatKinds, type Misfit, ResultFit, refusedKinds } from '../result-fit.ts'
import { schemaShape } from '../schema-shapes.ts'
import { formatShape, shapeOf } from '../shapes.ts'
import { is, isFunctionNode, objectEntries, returnedBy, type SyntaxNode } from '../syntax.ts'
import { actionsOf, hasOwnDecorator, isJsonified } from '../wiring.ts'
import type { Project } from './rule.ts'

/** The schema of a result; null for none. */
type DescribedResult = NonNullable<ActionDescription['result']['schema']> | null

/** Checks the values of the static records, and the results of the actions that they name. */
export function* checkDeclaredResults(model: ControllerModel, project: Project): Iterable<Finding> {
  for (const entry of model.staticEntries) yield* checkValue(model, entry)
  for (const action of actionsOf(model)) {
    const method = model.methods.get(action)
    const declared = model.declaredResult(action)
    if (method?.source === undefined || declared === undefined || declared === 'unknown') continue
    if (hasOwnDecorator(model, action) || isJsonified(model, action)) continue
    const { schema, status } = project.descriptions.get(model)?.actions.get(action)?.result ?? UNDECLARED
    if (schema === undefined) continue
    const { module, node } = method.source
    const fit = new ResultFit(module, expressionsIn(method.source, method.parameters))
    const returned = returnedBy(node)
    const findings = [
      ...(status === undefined ? checkStatus(model, method, returned, schema === null, fit, project) : []),
      ...(node.generator ? [] : checkResult(method, declared, schema, returned, fit)),
    ]
    for (const { place, ...finding } of findings) yield { ...finding, place: placeOf(module, place), action }
  }
}

/** A finding at a node. */
type FindingAt = Pick<Finding, 'code' | 'message' | 'fix'> & { readonly place: SyntaxNode }

/** Checks one value of a record, as the first request of the class would. */
function* checkValue(model: ControllerModel, entry: StaticEntry): Iterable<Finding> {
  const { module, node } = constantOf(entry.value.module, entry.value.node)
  const fault = faultOf(entry.record, node)
  if (fault === undefined) return
  yield {
    code: 'static-value',
    place: placeOf(entry.value.module, entry.value.node),
    message: `static ${entry.record} of ${model.className} has ${textOf(module, node)} for "${entry.name}".`,
    fix: fault,
    action: entry.name,
  }
}

/** Returns what to write instead of a value that a record certainly refuses. */
function faultOf(record: StaticEntry['record'], node: SyntaxNode): string | undefined {
  const isText = is(node, 'TemplateLiteral') || (is(node, 'Literal') && typeof node.value === 'string')
  const isOther = is(node, 'ObjectExpression', 'ArrayExpression') || isFunctionNode(node)
  if (record === 'pages') {
    return isOther || (is(node, 'Literal') && !isText)
      ? "Write the name of a template, such as 'books/show'."
      : undefined
  }
  if (record === 'statuses') {
    const isStatus =
      is(node, 'Literal') && typeof node.value === 'number' && node.value >= 200 && node.value < 300
    return isText || isOther || (is(node, 'Literal') && !isStatus)
      ? 'Write a status from 200 to 299.'
      : undefined
  }
  if (record !== 'results') return undefined
  const isSchemaless = is(node, 'ArrayExpression') || isFunctionNode(node) || isText
  const isLiteral = is(node, 'Literal') && node.value !== null
  const isObject = objectEntries(node)?.complete === true && !objectEntries(node)?.entries.has('~standard')
  return isSchemaless || isLiteral || isObject
    ? 'Write a Standard Schema (Valibot, Zod, ArkType), or null if the action gives no value.'
    : undefined
}

/** Checks what an action declares and returns. */
function* checkResult(
  { source, label }: MethodModel,
  declared: Located,
  schema: DescribedResult,
  returned: readonly SyntaxNode[],
  fit: ResultFit,
): Iterable<FindingAt> {
  const wanted = schema === null ? shapeOf('null') : schemaShape(schema, 'input')
  const name = schema === null ? 'null' : textOf(declared.module, declared.node)
  const type = source?.node.returnType
  const refused = source && type ? refusedKinds(awaitedShape(source.module, type), wanted) : []
  if (type && refused.length > 0) {
    const given = formatShape(refused)
    yield misfit(label, name, { node: type.typeAnnotation, path: '', given, wanted: formatKinds(wanted) })
    return
  }
  for (const expression of returned) {
    for (const found of fit.misfits(expression, wanted)) yield misfit(label, name, found)
    if (!isSchema(schema) || acceptsNothing(schema)) continue
    for (const outcome of fit.valueless(expression)) {
      yield {
        code: 'result-type',
        place: outcome,
        message: `${label}() returns ${fit.textOf(outcome)} without a value, but static results has ${name} for it.`,
        fix: 'Add the value as the second argument, or write null in static results if the action gives none.',
      }
    }
  }
}

/** Checks that the status of an outcome is the one that the document has. */
function* checkStatus(
  model: ControllerModel,
  { name, label }: MethodModel,
  returned: readonly SyntaxNode[],
  isNull: boolean,
  fit: ResultFit,
  { wiring }: Project,
): Iterable<FindingAt> {
  const creates = name === 'create' && wiring.mapper.resourceActions(model.name)?.has(name) === true
  // The document has 201 and 204 for `create` of a resource without a value.
  if (wiring.openapiPath === undefined || (creates && isNull)) return
  const [status, documented] = creates ? [200, 201] : [201, isNull ? 204 : 200]
  for (const outcome of returned.flatMap((each) => fit.outcomes(each, creates ? 'done' : 'created'))) {
    yield {
      code: 'status-undocumented',
      place: outcome,
      message: `${label}() returns ${fit.textOf(outcome)}, whose status is ${status}, but the OpenAPI document has ${documented} for it. Clients made from the document refuse the response.`,
      fix: `Write static statuses = { ${name}: ${status} }, or return ${creates ? 'created' : 'done'}(…).`,
    }
  }
}

function misfit(label: string, schema: string, { node, path, given, wanted }: Misfit): FindingAt {
  const problem =
    schema === 'null'
      ? `returns ${given === 'array' || given === 'object' ? 'an' : 'a'} ${given}, but static results says that it gives no value (null)`
      : given === undefined
        ? `returns an object without "${path}", which ${schema} in static results requires`
        : `returns ${path === '' ? '' : `"${path}" as `}${given}, but ${schema} in static results takes ${wanted}`
  return {
    code: 'result-type',
    place: node,
    message: `${label}() ${problem}.`,
    fix:
      schema === 'null'
        ? 'Return nothing, or done(location), or declare the schema of the value.'
        : 'Return what the schema takes, or declare another schema.',
  }
}
