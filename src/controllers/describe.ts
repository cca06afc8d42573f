/**
 * Descriptions of controller classes: actions, hooks, and what each takes, gives and shows. The dispatcher,
 * documents, clients, tools and checks read them.
 *
 * @module
 */
import type { StandardTypedV1 } from '@standard-schema/spec'
import { describeValue } from '../base/describe.ts'
import { oncePer } from '../base/once-per.ts'
import type { BodyArgument } from '../http/converters/body-argument.ts'
import { acceptsNothing } from '../http/converters/schema.ts'
import { accessorsOf, type ControllerClass, inspectMethods, isReserved } from './class-methods.ts'
import { ReservedMemberError } from './controller-errors.ts'
import {
  checkDeclarations,
  type DeclaredResult,
  declaredArguments,
  declaredResult,
  declaresConverters,
  type ExposedName,
  isToolName,
  namesIn,
  refusedNames,
  UNDECLARED,
} from './declarations.ts'
import { helpOf, readDocumentation } from './doc-comment.ts'
import { bindMethod, type MethodBinding } from './method-binding.ts'
import { DEFAULT_ALLOW, isSecurity, type SecurityRequirements, STATIC_RULES, staticRule } from './statics.ts'
import { SUPPLIED_ARGUMENTS } from './supplied-arguments.ts'
import {
  DeclarationError,
  type DeclarationFault,
  declarationFaults,
  type InspectedClass,
  type IsTemplate,
} from './vocabulary.ts'

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

/** A procedure of a service: an action that clients call by a name of its own. */
export interface ProcedureDescription extends ActionDescription {
  /** Name for clients: `stock.find` for the method `stock_find`. */
  readonly publicName: string
  /** Whether arguments by other names are accepted. */
  readonly isOpen: boolean
}

/** A service: its names and its procedures. */
export interface ServiceDescription {
  /** Name of the class without `Controller`. */
  readonly name: string
  /** `static title` of the class. Default: the name. */
  readonly title: string
  /** `static version` of the class. Default `1.0.0`. */
  readonly version: string
  /** `static description` of the class. Empty if there is none. */
  readonly description: string
  /** `static security` of the class, and the schemes that it names. */
  readonly security: SecurityRequirements | undefined
  readonly securitySchemes: Readonly<Record<string, object>> | undefined
  /** Sorted by public name. */
  readonly procedures: readonly ProcedureDescription[]
}

/** A controller class: its actions and hooks, and its declarations. */
export interface ControllerDescription {
  readonly name: string
  /** Whether any method of the class has converters. */
  readonly hasConverters: boolean
  readonly before: MethodBinding | undefined
  readonly after: MethodBinding | undefined
  /** Returns the action with this name. A dash in the name matches an underscore. */
  action(name: string): MethodBinding | undefined
  /** Returns any method of the application's own classes. Not for names from URLs: it includes private methods. */
  method(name: string): MethodBinding | undefined
  /** Returns true for a member of the framework's base class or of Object.prototype, whose name no action can have. */
  isReserved(name: string): boolean
  /** Names of all actions, sorted. */
  readonly actionNames: readonly string[]
  /** The framework's `_get_method_args`, which a class may override. */
  readonly defaultMethodArguments: unknown
  /** By name, sorted. Reading it throws a ParameterNamesError if the parameters of an action cannot be read. */
  readonly actions: ReadonlyMap<string, ActionDescription>
}

/**
 * Describes a class. Read once per class. The parameters of an action are read when it is first called, so that one
 * unreadable method does not disable the others.
 *
 * @throws ReservedMemberError - a method replaces an accessor of the base class, such as `session`.
 * @throws DeclarationError - see {@link requireRead}.
 * @throws TypeError - a static property, such as `args` or `security`, is invalid or names an action that does not
 *   exist.
 */
export function describeController(controllerClass: ControllerClass): ControllerDescription {
  let description = descriptions.get(controllerClass)
  if (description === undefined) {
    description = readDescription(controllerClass)
    descriptions.set(controllerClass, description)
  }
  return description
}

const descriptions = new WeakMap<ControllerClass, ControllerDescription>()

function readDescription(controllerClass: ControllerClass): ControllerDescription {
  const className = controllerClass.name || 'Controller'
  const { actions, methods, base } = inspectMethods(controllerClass)
  requireRead(controllerClass)
  const reserved = accessorsOf(base).find((name) => methods.has(name))
  if (reserved !== undefined) throw new ReservedMemberError(className, reserved)
  checkDeclarations(controllerClass, actions, (name) => isReserved(base, name))
  const bindings = new Map<string, MethodBinding>()

  function bind(name: string, method: unknown): MethodBinding {
    const result = actions.has(name) ? declaredResult(controllerClass, name) : undefined
    const bound = bindMethod(controllerClass, name, method, declaredArguments(controllerClass, name), result)
    bindings.set(name, bound)
    return bound
  }

  function hook(name: '__before__' | '__after__'): MethodBinding | undefined {
    const method: unknown = Reflect.get(controllerClass.prototype, name)
    return method === undefined ? undefined : bind(name, method)
  }

  const description: ControllerDescription = {
    name: className,
    hasConverters: declaresConverters(controllerClass),
    before: hook('__before__'),
    after: hook('__after__'),
    isReserved: (name) => isReserved(base, name),
    actionNames: [...actions.keys()].sort(),
    defaultMethodArguments: base === null ? undefined : Reflect.get(base, '_get_method_args'),
    action(name) {
      const methodName = name.includes('-') ? name.replaceAll('-', '_') : name
      const method = actions.get(methodName)
      return method === undefined ? undefined : (bindings.get(methodName) ?? bind(methodName, method))
    },
    method(name) {
      const method = methods.get(name)
      return method === undefined ? undefined : (bindings.get(name) ?? bind(name, method))
    },
    get actions() {
      return describeActions(description, controllerClass)
    },
  }
  return description
}

const describeActions = oncePer((description: ControllerDescription, controllerClass: ControllerClass) => {
  const deprecated = new Set(namesIn(controllerClass, 'deprecated'))
  const actions = new Map<string, ActionDescription>()
  for (const name of description.actionNames) {
    const binding = description.action(name)
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
  return actions
})

/**
 * Checks that the framework reads everything that a class declares.
 *
 * @throws DeclarationError - a static property is nearly one that the framework reads, or looks like one; or `static
 *   args` has a schema of an object without `body()`.
 */
export function requireRead(controllerClass: ControllerClass, isTemplate: IsTemplate = () => false): void {
  const faults = declarationFaults({ controllerClass, ...inspectMethods(controllerClass) }, isTemplate)
  if (faults.length > 0) throw new DeclarationError(controllerClass, faults)
}

/**
 * Checks the names that a class gives to tools, resources and prompts.
 *
 * @param controller - name of the controller in routes.
 * @throws DeclarationError - clients of language models refuse one.
 */
export function requireToolNames(controllerClass: ControllerClass, controller: string): void {
  const faults = toolNameFaults({ controllerClass, ...inspectMethods(controllerClass) }, controller)
  if (faults.length > 0) throw new DeclarationError(controllerClass, faults)
}

/**
 * Returns the names of tools, resources and prompts that clients of language models refuse. The tools of a service
 * with the face `mcp` have the names of its methods.
 */
export function toolNameFaults({ controllerClass, actions }: InspectedClass, controller: string): DeclarationFault[] {
  const faces: unknown = DEFAULT_ALLOW in controllerClass ? Reflect.get(controllerClass, 'faces') : undefined
  const methods = Array.isArray(faces) && faces.includes('mcp') ? [...actions.keys()] : []
  const refused = methods.filter((name) => !isToolName(name))
  return [
    ...refused.map((name) => refusedName(controllerClass, { record: 'faces', action: name, name })),
    ...refusedNames(controllerClass, controller).map((name) => refusedName(controllerClass, name)),
  ]
}

function refusedName(owner: ControllerClass, { record, action, name }: ExposedName): DeclarationFault {
  return {
    kind: 'name',
    owner,
    property: record,
    method: action,
    message: `static ${record} makes the name ${describeValue(name, 100)} of ${action}(), which clients of language models refuse.`,
    fix:
      record === 'tools' || record === 'resources'
        ? `Name it: static ${record} = { ${action}: { name: '…' } }, with 1 to 64 of A-Z, a-z, 0-9, _ and -.`
        : 'Rename the method: 1 to 64 of A-Z, a-z, 0-9, _ and -.',
  }
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
 * Returns `static security` of a class for an action. Without one, the rule for all actions that have none of their
 * own.
 *
 * @throws TypeError - it is not a list of requirements.
 */
export function securityOf(controllerClass: ControllerClass, action: string = '*'): SecurityRequirements | undefined {
  const security = staticRule(controllerClass, 'security', action)
  if (security === undefined || isSecurity(security)) return security
  throw new TypeError(`${controllerClass.name}.security is malformed. ${STATIC_RULES.security?.fix}`)
}
