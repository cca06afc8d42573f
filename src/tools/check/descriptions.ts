/**
 * The descriptions of the controllers that declare arguments or results, from their loaded classes: schemas exist at run time only.
 *
 * @module
 */
import { errorMessage } from '../../base/thrown.ts'
import {
  type ActionDescription,
  type ControllerDescription,
  describeController,
} from '../../controllers/action-description.ts'
import type { ControllerClass } from '../../controllers/controller-class.ts'
import { inspectMethods } from '../../controllers/metadata.ts'
import { STATIC_RULES } from '../../controllers/statics.ts'
import {
  type DeclarationFault,
  declarationFaults,
  type IsTemplate,
  isDeclaration,
  toolNameFaults,
} from '../../controllers/vocabulary.ts'
import { isUnrestricted, jsonSchemaOf } from '../../http/converters/json-schema.ts'
import { accepts, isSchema } from '../../http/converters/schema.ts'
import { type ControllerSources, loadController } from './controllers.ts'
import type { ControllerEntry, ControllerModel } from './model.ts'
import { schemaShape } from './schema-shapes.ts'
import { ANY, type Shape, type ShapeKind } from './shapes.ts'
import { is, keyName } from './syntax.ts'

/** The descriptions of controllers by their models. */
export type Descriptions = ReadonlyMap<ControllerModel, ControllerDescription>

/** Declarations that the framework would ignore, by the models of their controllers. */
export type Faults = ReadonlyMap<ControllerModel, readonly DeclarationFault[]>

/** Descriptions and faults of loaded classes. */
export interface Described {
  readonly descriptions: Descriptions
  readonly faults: Faults
}

/**
 * Loads and describes the controllers that declare arguments or results, or have a static property that the framework does not read.
 * Leaves out those that do not load or are invalid.
 *
 * @param isTemplate - returns true if a template of a name exists.
 */
export async function describeControllers(
  controllers: ControllerSources,
  entries: readonly ControllerEntry[],
  isTemplate: IsTemplate,
): Promise<Described> {
  const descriptions = new Map<ControllerModel, ControllerDescription>()
  const faults = new Map<ControllerModel, readonly DeclarationFault[]>()
  for (const entry of entries) {
    if (entry.kind !== 'class') continue
    const { model } = entry
    const isDescribed = !model.isService && [...model.methods.keys()].some((name) => isDeclared(model, name))
    if (!isDescribed && !mayHaveFaults(model)) continue
    const loaded = await loadController(controllers, model.name)
    if (loaded.kind !== 'class') continue
    const { controllerClass } = loaded
    const inspected = { controllerClass, ...inspectMethods(controllerClass) }
    const found = declarationFaults(inspected, isTemplate)
    faults.set(model, [...found, ...toolNameFaults(inspected, model.name)])
    const description = isDescribed && found.length === 0 ? describe(controllerClass) : undefined
    if (description !== undefined) descriptions.set(model, description)
  }
  return { descriptions, faults }
}

/** Properties that give clients of language models names. */
const NAMING: ReadonlySet<string> = new Set([
  'faces',
  'prompts',
  'resources',
  'tools',
  ...Object.keys(STATIC_RULES),
])

/** Returns true for a class with a static property that the framework does not read, or with names of tools, or whose source is not known. */
function mayHaveFaults({ classes }: ControllerModel): boolean {
  if (classes.length === 0) return true
  return classes.some(({ node }) =>
    node.body.body.some((member) => {
      if (is(member, 'StaticBlock')) return true
      if (!is(member, 'PropertyDefinition', 'MethodDefinition') || !member.static) return false
      if (is(member, 'MethodDefinition') && member.kind !== 'get') return false
      const name = keyName(member.key, member.computed)
      return name === undefined || !isDeclaration(name) || NAMING.has(name)
    }),
  )
}

/** Returns true for a method with a declared result, or with a converter of another package. */
function isDeclared(model: ControllerModel, method: string): boolean {
  if (model.declaredResult(method) !== undefined) return true
  const converters = [...model.declaredArguments(method).converters.values()]
  return converters.some(({ shape }) => shape.some(({ kind }) => kind === 'any'))
}

/** Returns the shape of the values that the schema of an argument returns: `any` if it is not known. */
export function argumentShape(action: ActionDescription | undefined, name: string): Shape {
  const schema = action?.body?.name === name ? action.body.declaration.schema : parameterSchema(action, name)
  return schema === undefined ? ANY : schemaShape(schema, 'output')
}

function parameterSchema(action: ActionDescription | undefined, name: string) {
  return action?.parameters.find((parameter) => parameter.name === name)?.schema
}

/** Kinds of values that no text is. A schema that takes objects may parse a text of JSON. */
const TEXTLESS: ReadonlySet<ShapeKind> = new Set(['number', 'boolean', 'null', 'array'])

/** Texts of which a schema that converts texts accepts one. */
const PROBES = ['1', 'true', 'a', '[]', '[1]', '["a"]']

/** Returns true for the schema of an argument of a path or a query that no text fits. */
export function refusesText(action: ActionDescription | undefined, name: string): boolean {
  const schema = parameterSchema(action, name)
  if (!isSchema(schema)) return false
  const isTextless = schemaShape(schema, 'input').every(({ kind }) => TEXTLESS.has(kind))
  return isTextless && !PROBES.some((text) => accepts(schema, text))
}

/** Returns the description of a class; undefined if a declaration is invalid, which other rules report. */
function describe(controllerClass: ControllerClass): ControllerDescription | undefined {
  try {
    return describeController(controllerClass)
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** A schema of an action, and whether a document has its input or its output. */
export interface DescribedSchema {
  readonly schema: NonNullable<ActionDescription['result']['schema']>
  readonly direction: 'input' | 'output'
  /** The argument; undefined for the result. */
  readonly argument?: string
}

/** Returns the schemas that documents have of an action in `static results`. */
export function documentedSchemas({ parameters, body, result }: ActionDescription): DescribedSchema[] {
  if (result.schema === undefined) return []
  const taken = body === undefined ? [] : [{ name: body.name, schema: body.declaration.schema }]
  const given = [...parameters, ...taken].flatMap(({ name, schema }): DescribedSchema[] =>
    schema === undefined ? [] : [{ schema, direction: 'input', argument: name }],
  )
  return result.schema === null ? given : [...given, { schema: result.schema, direction: 'output' }]
}

/** Returns the reason why a schema has no JSON Schema: `missing` if its library gives none; undefined if it has one. */
export function jsonSchemaFault({
  schema,
  direction,
}: DescribedSchema): 'missing' | { readonly reason: string } | undefined {
  const converter: unknown = Reflect.get(schema['~standard'], 'jsonSchema')
  const convert: unknown =
    typeof converter === 'object' && converter !== null ? Reflect.get(converter, direction) : undefined
  if (typeof convert !== 'function') return 'missing'
  try {
    convert.call(converter, { target: 'draft-2020-12' })
    return undefined
  } catch (error) {
    // Documents may describe a part of the schema all the same.
    return isUnrestricted(jsonSchemaOf(schema, direction)) ? { reason: errorMessage(error) } : undefined
  }
}
