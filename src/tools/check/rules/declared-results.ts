/**
 * `static results`, `pages`, `statuses` and `security`: values that they cannot have, and results that do not fit.
 *
 * @module
 */

import { UNDECLARED } from '../../../controllers/declared-results.ts'
import { acceptsNothing, isSchema } from '../../../http/converters/schema.ts'
import type { Descriptions } from '../descriptions.ts'
import type { Finding } from '../finding.ts'
import { expressionsIn } from '../locals.ts'
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
import { formatShape, type Shape, shapeOf } from '../shapes.ts'
import { type ControllerReader, staticValue } from '../source-controller.ts'
import { is, isFunctionNode, objectEntries, ownNodes, type SyntaxNode } from '../syntax.ts'
import { actionsOf, isJsonified, type Wiring } from '../wiring.ts'
import { hasOwnDecorator } from './arguments.ts'

/** Checks the values of the static records, and the results of the actions that they name. */
export function* checkDeclaredResults(
  wiring: Wiring,
  reader: ControllerReader,
  descriptions: Descriptions,
): Iterable<Finding> {
  for (const model of wiring.models) {
    if (model.isService) continue
    for (const entry of model.staticEntries) yield* checkValue(model, entry, reader)
    yield* checkSecurity(model, reader)
    for (const action of actionsOf(model)) {
      const method = model.methods.get(action)
      const declared = model.declaredResult(action)
      if (method?.source === undefined || declared === undefined || declared === 'unknown') continue
      if (hasOwnDecorator(model, method) || isJsonified(model, action)) continue
      const { schema, status } = descriptions.get(model)?.actions.get(action)?.result ?? UNDECLARED
      if (schema === undefined) continue
      if (status === undefined && wiring.openapiPath !== undefined) {
        const creates = action === 'create' && wiring.mapper.resourceActions(model.name)?.has(action) === true
        yield* checkStatus(model, method, method.source, creates, schema === null, reader)
      }
      const wanted = schema === null ? shapeOf('null') : schemaShape(schema, 'input')
      const name = schema === null ? 'null' : textOf(declared.module, declared.node)
      const needsValue = isSchema(schema) && !acceptsNothing(schema)
      yield* checkResult(model, method, method.source, { name, wanted, needsValue }, reader)
    }
  }
}

/** Checks one value of a record, as the first request of the class would. */
function* checkValue(
  model: ControllerModel,
  entry: StaticEntry,
  { lookup }: ControllerReader,
): Iterable<Finding> {
  const { module, node } = lookup.value(entry.value.module, entry.value.node)
  const fault = faultOf(entry.record, node)
  if (fault === undefined) return
  yield {
    code: 'static-value',
    place: placeOf(entry.value.module, entry.value.node),
    message: `static ${entry.record} of ${model.className} has ${textOf(module, node)} for "${entry.name}".`,
    fix: fault,
    controller: model.name,
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

/** Checks that `static security` is a list of records of lists. */
function* checkSecurity(model: ControllerModel, { lookup }: ControllerReader): Iterable<Finding> {
  for (const { module, node } of model.classes) {
    const value = staticValue(node, 'security')
    if (!value) continue
    const list = lookup.value(module, value)
    const wrong = is(list.node, 'ArrayExpression')
      ? list.node.elements.find((one) => one !== null && !isRequirement(list.module, one, lookup))
      : is(list.node, 'ObjectExpression', 'Literal')
        ? list.node
        : undefined
    if (!wrong) continue
    yield {
      code: 'static-value',
      place: placeOf(list.module, wrong),
      message: `static security of ${model.className} has ${textOf(list.module, wrong)}.`,
      fix: 'Write a list of security schemes with their scopes: [{ bearer: [] }].',
      controller: model.name,
    }
  }
}

/** Returns false for an expression that certainly is not a record of lists. */
function isRequirement(
  from: Located['module'],
  expression: SyntaxNode,
  lookup: ControllerReader['lookup'],
): boolean {
  const { node } = lookup.value(from, expression)
  if (is(node, 'Literal', 'TemplateLiteral', 'ArrayExpression')) return false
  return [...(objectEntries(node)?.entries.values() ?? [])].every(
    ({ value }) => !is(value, 'Literal', 'TemplateLiteral', 'ObjectExpression'),
  )
}

/** The declared result of an action. */
interface WantedResult {
  /** Source of its schema. */
  readonly name: string
  readonly wanted: Shape
  /** Whether `created()` and `done()` need a value. */
  readonly needsValue: boolean
}

function* checkResult(
  model: ControllerModel,
  method: MethodModel,
  source: NonNullable<MethodModel['source']>,
  { name, wanted, needsValue }: WantedResult,
  { lookup, annotations }: ControllerReader,
): Iterable<Finding> {
  const { module, node } = source
  if (node.generator) return
  if (node.returnType !== undefined) {
    const refused = refusedKinds(annotations.awaited(module, node.returnType), wanted)
    if (refused.length > 0) {
      const place = node.returnType.typeAnnotation
      yield misfit(model, method, name, {
        node: place,
        path: '',
        given: formatShape(refused),
        wanted: formatKinds(wanted),
      })
      return
    }
  }
  const fit = new ResultFit(module, lookup, expressionsIn(source, method.parameters, annotations, lookup))
  for (const statement of ownNodes(node)) {
    if (!is(statement, 'ReturnStatement') || statement.argument === null) continue
    for (const found of fit.misfits(statement.argument, wanted)) yield misfit(model, method, name, found)
    if (!needsValue) continue
    for (const outcome of fit.valueless(statement.argument)) {
      yield {
        code: 'result-type',
        place: placeOf(module, outcome),
        message: `${method.label}() returns ${textOf(module, outcome)} without a value, but static results has ${name} for it.`,
        fix: 'Add the value as the second argument, or write null in static results if the action gives none.',
        controller: model.name,
        action: method.name,
      }
    }
  }
}

/** Checks that the status of an outcome is the one that the document has. */
function* checkStatus(
  model: ControllerModel,
  method: MethodModel,
  { module, node }: NonNullable<MethodModel['source']>,
  creates: boolean,
  isNull: boolean,
  { lookup, annotations }: ControllerReader,
): Iterable<Finding> {
  // The document has 201 and 204 for `create` of a resource without a value.
  if (creates && isNull) return
  const fit = new ResultFit(
    module,
    lookup,
    expressionsIn({ module, node }, method.parameters, annotations, lookup),
  )
  const status = creates ? 200 : 201
  for (const statement of ownNodes(node)) {
    if (!is(statement, 'ReturnStatement') || statement.argument === null) continue
    for (const outcome of fit.outcomes(statement.argument, creates ? 'done' : 'created')) {
      yield {
        code: 'status-undocumented',
        place: placeOf(module, outcome),
        message: `${method.label}() returns ${textOf(module, outcome)}, whose status is ${status}, but the OpenAPI document has ${creates ? 201 : isNull ? 204 : 200} for it. Clients made from the document refuse the response.`,
        fix: `Write static statuses = { ${method.name}: ${status} }, or return ${creates ? 'created' : 'done'}(…).`,
        controller: model.name,
        action: method.name,
      }
    }
  }
}

function misfit(
  model: ControllerModel,
  method: MethodModel,
  schema: string,
  { node, path, given, wanted }: Misfit,
): Finding {
  const problem =
    schema === 'null'
      ? `returns ${given === 'array' || given === 'object' ? 'an' : 'a'} ${given}, but static results says that it gives no value (null)`
      : given === undefined
        ? `returns an object without "${path}", which ${schema} in static results requires`
        : path === ''
          ? `returns ${given}, but ${schema} in static results takes ${wanted}`
          : `returns "${path}" as ${given}, but ${schema} in static results takes ${wanted}`
  return {
    code: 'result-type',
    place: method.source && placeOf(method.source.module, node),
    message: `${method.label}() ${problem}.`,
    fix:
      schema === 'null'
        ? 'Return nothing, or done(location), or declare the schema of the value.'
        : 'Return what the schema takes, or declare another schema.',
    controller: model.name,
    action: method.name,
  }
}
