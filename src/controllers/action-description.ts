/**
 * Descriptions of actions and procedures: what each takes, gives and shows. Documents, clients, tools and checks read them.
 *
 * @module
 */
import type { StandardTypedV1 } from '@standard-schema/spec'
import type { BodyArgument } from '../http/converters/body-argument.ts'
import { acceptsNothing } from '../http/converters/schema.ts'
import type { ControllerClass } from './controller-class.ts'
import { type DeclaredResult, UNDECLARED } from './declared-results.ts'
import { readDocumentation } from './doc-comment.ts'
import { namesIn } from './exposure.ts'
import { helpOf } from './help.ts'
import { metadataOf } from './metadata.ts'
import type { MethodBinding } from './method-binding.ts'
import { isSecurity, type SecurityRequirements, STATIC_RULES, staticRule } from './statics.ts'
import { SUPPLIED_ARGUMENTS } from './supplied-arguments.ts'

/** An argument that a request supplies: a value of the path, of the query or of a remote call. */
export interface ArgumentDescription {
  readonly name: string
  /** Its converter or declared type. Undefined if it has none: the text of the path, and any value of a remote call. */
  readonly schema: StandardTypedV1 | undefined
  /** Whether the query or the remote call must have it. */
  readonly required: boolean
  /** Description from the doc comment. Empty if there is none. */
  readonly description: string
}

/** The argument that is the body of the request. */
export interface BodyDescription {
  readonly name: string
  readonly declaration: BodyArgument
  /** Description from the doc comment. Empty if there is none. */
  readonly description: string
}

/** The result of an action. */
export interface ResultDescription extends Omit<DeclaredResult, 'schema'> {
  /** Schema of the result; null if the action gives no value; undefined if it is not declared. */
  readonly schema: StandardTypedV1 | null | undefined
}

/** An action or a procedure: what it takes, gives and shows. */
export interface ActionDescription {
  /** Name of the method. */
  readonly name: string
  /** Doc comment without the tags of the parameters. Empty if there is none. */
  readonly help: string
  /** In the order of the method, without the body and without arguments that the framework supplies. */
  readonly parameters: readonly ArgumentDescription[]
  readonly body: BodyDescription | undefined
  readonly result: ResultDescription
  /** Its rule in `static security`. Undefined if it has none, and for procedures. */
  readonly security?: SecurityRequirements | undefined
  /** Whether `static deprecated` names it. */
  readonly isDeprecated: boolean
}

/** A controller class and its actions. */
export interface ControllerDescription {
  readonly className: string
  /** By name, sorted. */
  readonly actions: ReadonlyMap<string, ActionDescription>
}

const known = new WeakMap<ControllerClass, ControllerDescription>()

/**
 * Describes a class. Read once per class.
 *
 * @throws TypeError - a static record is invalid.
 * @throws ParameterNamesError - the parameters of an action cannot be read.
 */
export function describeController(controllerClass: ControllerClass): ControllerDescription {
  let description = known.get(controllerClass)
  if (description === undefined) {
    description = readDescription(controllerClass)
    known.set(controllerClass, description)
  }
  return description
}

function readDescription(controllerClass: ControllerClass): ControllerDescription {
  const metadata = metadataOf(controllerClass)
  const deprecated = new Set(namesIn(controllerClass, 'deprecated'))
  const actions = new Map<string, ActionDescription>()
  for (const name of metadata.actionNames) {
    const binding = metadata.action(name)
    if (binding === undefined) continue
    const { text, parameters } = readDocumentation(helpOf(controllerClass, name, binding.method))
    actions.set(name, {
      name,
      help: text,
      parameters: parametersOf(binding, parameters),
      body: binding.body && { ...binding.body, description: parameters.get(binding.body.name) ?? '' },
      result: binding.result ?? UNDECLARED,
      security: securityOf(controllerClass, name),
      isDeprecated: deprecated.has(name),
    })
  }
  return { className: metadata.name, actions }
}

function parametersOf(
  { parameters, converters, body }: MethodBinding,
  descriptions: ReadonlyMap<string, string>,
): ArgumentDescription[] {
  return parameters.names
    .filter(({ name }) => name !== body?.name && !(SUPPLIED_ARGUMENTS.has(name) && !converters?.has(name)))
    .map(({ name, required }) => {
      const schema = converters?.get(name)
      return {
        name,
        schema,
        required: schema === undefined ? required : !acceptsNothing(schema),
        description: descriptions.get(name) ?? '',
      }
    })
}

/**
 * Returns `static security` of a class for an action. Without one, the rule for all actions that have none of their own.
 *
 * @throws TypeError - it is not a list of requirements.
 */
export function securityOf(
  controllerClass: ControllerClass,
  action: string = '*',
): SecurityRequirements | undefined {
  const security = staticRule(controllerClass, 'security', action)
  if (security === undefined || isSecurity(security)) return security
  throw new TypeError(`${controllerClass.name}.security is malformed. ${STATIC_RULES.security?.fix}`)
}
