/**
 * Misspelt hooks, records that name missing methods, and request methods of controllers.
 *
 * @module
 */

import { editDistance, nearest, similar } from '../../../base/suggest.ts'
import { accessorsOf } from '../../../controllers/metadata.ts'
import { STATIC_RULES } from '../../../controllers/statics.ts'
import { WSGIController } from '../../../controllers/wsgi-controller.ts'
import { didYouMean, type Finding } from '../finding.ts'
import { type ControllerModel, type Place, placeOf, type StaticEntry } from '../model.ts'
import { FRAMEWORK_MEMBERS } from '../reflection.ts'
import { placeOfStatic, staticList, staticMember } from '../source-controller.ts'
import { type ClassNode, is, memberName, nodesIn, stringOf } from '../syntax.ts'
import { actionsOf, hasAction } from '../wiring.ts'
import { isPrompt } from './exposure.ts'
import { methodFault } from './methods.ts'
import type { Project } from './rule.ts'

/** Methods with underscores that the framework calls. */
const FRAMEWORK_METHODS = ['__before__', '__after__', '__call__', '_get_method_args']

/** Checks the names of hooks. */
export function* checkHooks(model: ControllerModel): Iterable<Finding> {
  for (const method of model.methods.values()) {
    const meant = misspelt(method.name)
    if (meant === undefined) continue
    if (!isDoubled(method.name) && (model.methods.has(meant) || isCalled(model, method.name))) continue
    yield {
      code: 'hook-misspelt',
      place: method.place,
      message: `The framework never calls ${method.label}().`,
      fix: `Did you mean "${meant}"?`,
      action: method.name,
    }
  }
}

/** Returns the name that a method with underscores nearly has. */
function misspelt(name: string): string | undefined {
  if (!name.startsWith('_') && !name.endsWith('_')) return undefined
  if (FRAMEWORK_METHODS.includes(name)) return undefined
  const meant = similar(name, FRAMEWORK_METHODS)
  if (meant === undefined) return undefined
  // Without its underscores, the name must still be nearly the same: `_load_` is not `__call__`.
  const [bare = '', other = ''] = [name, meant].map((text) => text.replace(/^_+|_+$/g, '').toLowerCase())
  const isNear = similar(bare, [other]) !== undefined && editDistance(bare, other) <= 2
  return isNear ? meant : undefined
}

/** Returns true for a name with two underscores on a side, which applications have no other use for. */
function isDoubled(name: string): boolean {
  return name.startsWith('__') || name.endsWith('__')
}

function isCalled({ classes }: ControllerModel, name: string): boolean {
  return classes.some(({ module }) =>
    nodesIn(module.tree).some((node) => is(node, 'MemberExpression') && memberName(node) === name),
  )
}

/** Reports methods that replace an accessor of the framework's base class. */
export function* checkReserved(model: ControllerModel): Iterable<Finding> {
  for (const name of accessorsOf(WSGIController.prototype)) {
    const method = model.methods.get(name)
    if (method === undefined) continue
    yield {
      code: 'member-reserved',
      place: method.place,
      message: `${method.label}() replaces this.${name} of the framework, which actions, hooks and templates use.`,
      fix: `Rename the method. To keep its URL, write a route to the renamed action.`,
      action: name,
    }
  }
}

/** Checks that the records of a class name methods that exist. */
export function* checkStatics(model: ControllerModel): Iterable<Finding> {
  if (!model.isComplete) return
  for (const entry of model.staticEntries) {
    if ((model.isService ? OF_ACTIONS : OF_SERVICES).includes(entry.record)) continue
    if (!namesMethod(model, entry)) yield missing(model, entry)
  }
  for (const { module, node } of model.classes.flatMap((one) => staticList(one, 'allow') ?? [])) {
    const method = stringOf(node)
    const fault = method === undefined ? undefined : methodFault(method)
    if (fault === undefined) continue
    yield {
      code: 'method-case',
      place: placeOf(module, node),
      message: `static allow of ${model.className} has the request method "${method}".`,
      fix: fault,
    }
  }
}

const CODES = {
  unread: 'static-unread',
  object: 'args-object',
  name: 'tool-name',
  value: 'static-value',
} as const

/** Reports what a class declares and the framework would ignore, in the class that has it. */
export function* checkVocabulary(model: ControllerModel, { faults }: Project): Iterable<Finding> {
  for (const { kind, owner, property, method, argument, message, fix } of faults.get(model) ?? []) {
    const own = model.classes.find(({ node }) => node.id?.name === owner.name && hasStatic(node, property))
    const declaring = own ?? model.classes.find(({ node }) => hasStatic(node, property))
    const entry =
      method === undefined || argument === undefined
        ? undefined
        : model.declaredArguments(method).converters.get(argument)
    const text = entry === undefined ? '…' : entry.text
    yield {
      code: CODES[kind],
      place:
        entry?.place ??
        (kind === 'name' || kind === 'value' ? placeOfName(model, property, method) : undefined) ??
        (declaring ? placeOfStatic(declaring, property) : model.place),
      message: kind === 'object' || kind === 'value' ? `${owner.name}: ${message}` : message,
      fix: fix.replace('body(…)', `body(${text})`),
      action: method,
      argument,
    }
  }
}

/** Returns the place of the name of a tool: in its record or list, or where the method of a service is. */
function placeOfName(model: ControllerModel, property: string, method = ''): Place | undefined {
  const entry = model.staticEntries.find((each) => each.record === property && each.name === method)
  return entry?.place ?? model.methods.get(method)?.place
}

function hasStatic(node: ClassNode, property: string): boolean {
  return staticMember(node, property) !== undefined
}

/** Records that mean nothing in other controllers. A misspelt name would leave a method without its signature. */
const OF_SERVICES: readonly StaticEntry['record'][] = ['publicNames', 'signatures']

/** Records that mean nothing in services. */
const OF_ACTIONS: readonly StaticEntry['record'][] = [
  'deprecated',
  'pages',
  'prompts',
  'resources',
  'results',
  'statuses',
  'tools',
]

/** Actions of a service that are not its methods: its own URL, and the URL of its MCP face. */
const PLACES = ['index', 'mcp']

function namesMethod(model: ControllerModel, { record, name }: StaticEntry): boolean {
  // A prompt may have a method, or only a template, whose arguments static args declares.
  if (name === '*' && record in STATIC_RULES) return true
  if (record === 'prompts' || (record === 'args' && isPrompt(model, name))) return true
  if (OF_ACTIONS.includes(record)) return hasAction(model, name)
  return model.methods.has(name) || (record === 'crossSite' && model.isService && PLACES.includes(name))
}

function missing(model: ControllerModel, { record, name, place }: StaticEntry): Finding {
  const reason =
    name in FRAMEWORK_MEMBERS
      ? 'the base class has a member of this name'
      : 'its name begins with an underscore'
  const meant = nearest(name, record === 'args' ? [...model.methods.keys()] : actionsOf(model))
  return {
    code: 'static-unknown',
    place,
    message: `static ${record} of ${model.className} names the method "${name}", which ${model.methods.has(name) ? `is not an action, because ${reason}` : 'does not exist'}.`,
    fix: didYouMean(meant, 'Write the method, or remove the entry.'),
    action: name,
  }
}
