/**
 * Rules for the declarations of classes: names of methods that do not exist, values that declarations cannot have, and
 * misspelt hooks.
 *
 * @module
 */

import { allowsCrossSite } from '../../../app/cross-site.ts'
import { CHECKED_OPTIONS } from '../../../app/framework-app.ts'
import type { OpenAPIOptions } from '../../../app/openapi/document.ts'
import { isRead, UNSAFE_METHODS } from '../../../base/methods.ts'
import { editDistance, nearest, similar } from '../../../base/suggest.ts'
import { errorMessage } from '../../../base/thrown.ts'
import { accessorsOf, inspectMethods } from '../../../controllers/class-methods.ts'
import { describeController, securityOf, toolNameFaults } from '../../../controllers/describe.ts'
import { declaredMethods, inheritedEntry, type SecurityRequirements } from '../../../controllers/statics.ts'
import { placeIn } from '../../sources/sources.ts'
import { is, nodesIn } from '../../sources/syntax.ts'
import { didYouMean, type Findings } from '../finding.ts'
import { bodyOf, type CheckedClass, methodsOf, type Project, targetsOf } from '../project.ts'
import { RouteView } from '../route-view.ts'
import { methodFault } from './routes.ts'

/** Checks each class. A mistake of a base class is reported once, at its place. */
export function* checkClasses(project: Project): Findings {
  for (const one of project.classes) {
    const declared = [checkVocabulary, checkArgs, checkMethods, checkCall, checkStatics]
    const found = declared.flatMap((rule) => [...rule(one, project)])
    const unknown = found.length === 0 ? checkDescription(one, project) : []
    // A malformed static security is found already.
    const isReadable = one.faults.every(({ property }) => property !== 'security')
    const rules = [checkTargets, checkBodies, checkToolNames, checkExposure]
    const others = [...rules, ...(isReadable ? [checkCrossSite, checkSecurity] : [])].flatMap((rule) => [
      ...rule(one, project),
    ])
    for (const finding of [...found, ...unknown, ...others]) yield { ...finding, controller: one.name }
  }
}

/** Reports what a class is refused for when it is loaded. */
function* checkVocabulary({ faults }: CheckedClass, { sources }: Project): Findings {
  for (const { code, owner, property, method: action, argument, message, fix } of faults) {
    // checkStatics names each method of the list.
    if (property === 'allow') continue
    const path = [action, argument].filter((each) => each !== undefined)
    const place = sources.ofEntry(owner, property, ...path)
    const schema = `body(${sources.valueText(owner, property, ...path) ?? '…'})`
    const subject = `static ${property}`
    const text = code === 'static-unread' ? message : message.replace(subject, `${subject} of ${owner.name}`)
    yield { code, place, message: text, fix: fix.replace('body(…)', schema), action, argument }
  }
}

/** Reports converters in `static args` for parameters that a method does not have. */
function* checkArgs({ className, controllerClass, methods }: CheckedClass, { sources }: Project): Findings {
  for (const { name: action, label, declared, parameters, takesAll } of methods.values()) {
    if (takesAll || declared?.kind !== 'converters' || declared.isOverridden) continue
    const { converters, body } = declared
    for (const argument of [...converters.keys(), ...(body === undefined ? [] : [body.name])]) {
      if (parameters.includes(argument)) continue
      const meant = nearest(argument, parameters)
      const place = sources.ofEntry(controllerClass, 'args', action, argument)
      const message = `static args of ${className} declares a converter for "${argument}", but ${label}() has no parameter of that name.`
      const fix = `${meant === undefined ? 'Add' : `Did you mean "${meant}"? Otherwise add`} the parameter, or remove the converter.`
      yield { code: 'args-unknown', place, message, fix, action, argument }
    }
  }
}

/** Methods with underscores that the framework calls. */
const FRAMEWORK_METHODS = ['__before__', '__after__', '__call__', '_get_method_args']

/** Checks the names of methods, and whether their parameters can be read. */
function* checkMethods({ controllerClass, methods, base }: CheckedClass, { sources }: Project): Findings {
  for (const { name: action, label } of methods.values()) {
    const place = () => sources.ofMethod(controllerClass, action)
    if (accessorsOf(base).includes(action)) {
      const message = `${label}() replaces this.${action} of the framework, which actions, hooks and templates use.`
      const fix = 'Rename the method. To keep its URL, write a route to the renamed action.'
      yield { code: 'member-reserved', place: place(), message, fix, action }
    }
    const meant = misspelt(action)
    // Applications have no other use for two underscores on a side.
    const isDoubled = action.startsWith('__') || action.endsWith('__')
    const isCalled = () =>
      sources.chain(controllerClass).some(({ source }) => new RegExp(`\\.${action}\\b`).test(source.code))
    if (meant === undefined || (!isDoubled && (methods.has(meant) || isCalled()))) continue
    const message = `The framework never calls ${label}().`
    yield { code: 'hook-misspelt', place: place(), message, fix: `Did you mean "${meant}"?`, action }
  }
}

/** Reports a `finally` of `__call__` that runs before an asynchronous action has ended. */
function* checkCall({ controllerClass, methods }: CheckedClass, { sources }: Project): Findings {
  const member = methods.has('__call__') ? sources.member(controllerClass, '__call__') : undefined
  for (const node of member === undefined ? [] : nodesIn(member.node)) {
    const returned = is(node, 'TryStatement') && node.finalizer ? nodesIn(node.block) : []
    const early = returned.find((each) => is(each, 'ReturnStatement') && is(each.argument, 'CallExpression'))
    if (member === undefined || early === undefined) continue
    const message = '__call__() returns a promise from try, so that its finally runs before the action has ended.'
    const fix = 'Write return await.'
    yield { code: 'finally-early', place: placeIn(member.source, early), message, fix, action: '__call__' }
  }
}

/** Returns the name that a method with underscores nearly has. */
function misspelt(name: string): string | undefined {
  if (!/^_|_$/.test(name) || FRAMEWORK_METHODS.includes(name)) return undefined
  const meant = similar(name, FRAMEWORK_METHODS)
  if (meant === undefined) return undefined
  // Without its underscores, the name must still be nearly the same: `_load_` is not `__call__`.
  const [bare = '', other = ''] = [name, meant].map((text) => text.replace(/^_+|_+$/g, '').toLowerCase())
  return similar(bare, [other]) !== undefined && editDistance(bare, other) <= 2 ? meant : undefined
}

/** Checks `static allow`. */
function* checkStatics({ className, controllerClass }: CheckedClass, { sources }: Project): Findings {
  const allow: unknown = Reflect.get(controllerClass, 'allow')
  for (const method of Array.isArray(allow) ? allow.map(String) : []) {
    const fix = methodFault(method)
    if (fix === undefined) continue
    const message = `static allow of ${className} has the request method "${method}".`
    yield { code: 'method-case', place: sources.ofEntry(controllerClass, 'allow', method), message, fix }
  }
}

/** Reports the error that the first request of the class would throw. */
function* checkDescription({ controllerClass }: CheckedClass, { sources }: Project): Findings {
  try {
    // Reads the parameters of all actions.
    for (const _ of describeController(controllerClass).actions);
  } catch (error) {
    const message = errorMessage(error)
    const [, action = ''] = /^\w+\.(\w+)/.exec(message) ?? []
    const place = sources.ofMethod(controllerClass, action)
    yield { code: 'controller-unreadable', place, message, fix: '', action }
  }
}

/** Checks that the methods exist that decorators and `body({ form })` name. */
function* checkTargets(one: CheckedClass, { entries, sources }: Project): Findings {
  for (const { target, user, action, controller, name } of targetsOf(one)) {
    const entry = entries.get(controller)
    if (entry !== undefined && (entry.kind !== 'class' || entry.methods.has(name))) continue
    const [kind, wrong, known, owner] =
      entry === undefined
        ? ['controller', controller, entries.keys(), 'does not exist']
        : ['method', name, entry.methods.keys(), `${entry.className} does not have`]
    const fix = didYouMean(nearest(wrong, known), `Write the ${kind}, or correct the name.`)
    const label = `${user ?? `body({ form: '${target}' })`} of ${one.className}.${action}()`
    const message = `${label} names the ${kind} "${wrong}", which ${owner}.`
    const method = one.methods.get(action)
    const argument = user === undefined && method !== undefined ? bodyOf(method)?.name : undefined
    const place =
      argument === undefined
        ? sources.ofLiteral(one.controllerClass, target, action)
        : sources.ofEntry(one.controllerClass, 'args', action, argument)
    const code = argument === undefined ? 'decorator-method-missing' : 'body-form-missing'
    yield { code, place, message, fix, action, argument }
  }
}

/** Reports actions with a body that routes reach with GET and HEAD only, so that the body never arrives. */
function* checkBodies(one: CheckedClass, { routesTo, sources }: Project): Findings {
  for (const method of one.methods.values()) {
    const argument = bodyOf(method)?.name
    const routes = routesTo(one.name).filter((view) => view.runs(method.name))
    const isBodiless = routes.every(({ route }) => route.methods?.every(isRead) === true)
    const [first] = routes
    if (argument === undefined || !method.isAction || first === undefined || !isBodiless) continue
    const place = sources.ofEntry(one.controllerClass, 'args', method.name, argument)
    const message = `${method.label}() takes "${argument}" from the body, but ${first.label} gives it GET requests only, whose body is not read.`
    const fix = "Give the route the method POST, PUT, PATCH or DELETE: { conditions: { method: 'POST' } }."
    yield { code: 'body-unread', place, message, fix, action: method.name, argument }
  }
}

/** Reports unsafe actions that pages of origins of `cors()` call, and that the rule against other sites refuses. */
function* checkCrossSite(one: CheckedClass, project: Project): Findings {
  const { refusedOrigins = [], openapi } = project.app[CHECKED_OPTIONS] ?? {}
  const [origin] = refusedOrigins
  if (origin === undefined || one.isService) return
  for (const { method, routes } of project.reached(one)) {
    const { name: action, label, isAction } = method
    const usual = bodyOf(method) === undefined ? [] : ['POST']
    const methods = routes.flatMap((view) => methodsOf(project, one.name, action, view) ?? usual)
    const unsafe = methods.find((each) => UNSAFE_METHODS.includes(each))
    const security = securityOf(one.controllerClass, action) ?? openapi?.security ?? []
    const needsToken = security.length > 0 && security.every((each) => sendsToken(each, openapi))
    if (!isAction || unsafe === undefined || needsToken) continue
    if (allowsCrossSite(one.controllerClass, action)) continue
    const others = origin === '*' || origin === 'others'
    const message = `cors() allows pages of ${others ? 'other sites' : origin} to call ${label}(), but the rule against other sites refuses ${unsafe} from them.`
    const rule = others ? "crossSite: 'allow'" : `crossSite: ['${origin}']`
    const fix = `Allow it with static crossSite = { ${action}: 'allow' }, or all actions with FrameworkApp({ ${rule} }). Requests without cookies that have a token pass: declare its scheme in static security.`
    const place = project.sources.ofMethod(one.controllerClass, action)
    yield { code: 'cross-site-refused', place, message, fix, action }
  }
}

/** Returns true if a request has `Authorization` with a scheme that browsers do not add by themselves. */
function sendsToken(requirement: SecurityRequirements[number], openapi: OpenAPIOptions | undefined): boolean {
  return Object.keys(requirement).some((name) => {
    const { type, scheme, in: place, name: field } = openapi?.securitySchemes?.[name] ?? {}
    if (type === 'http') return !/^(?:basic|digest|negotiate|ntlm)$/i.test(String(scheme))
    return type === 'apiKey' ? place === 'header' && /^authorization$/i.test(String(field)) : type !== 'mutualTLS'
  })
}

/** Checks that the schemes of `static security` are in the document. */
function* checkSecurity(one: CheckedClass, { app, sources }: Project): Findings {
  const { openapi } = app[CHECKED_OPTIONS] ?? {}
  // A function that changes the document may add schemes.
  if (one.isService || openapi === undefined || openapi.transform !== undefined) return
  const known = Object.keys(openapi.securitySchemes ?? {})
  for (const { name: action } of one.methods.values()) {
    for (const name of (securityOf(one.controllerClass, action) ?? []).flatMap(Object.keys)) {
      if (known.includes(name)) continue
      const owner = inheritedEntry(one.controllerClass, 'security', action) === undefined ? '*' : action
      const place = sources.ofEntry(one.controllerClass, 'security', owner)
      const message = `static security of ${one.className} names the scheme "${name}", which openapi.securitySchemes lacks.`
      const fix = didYouMean(nearest(name, known), 'Describe it there, or correct the name.')
      yield { code: 'security-unknown', place, message, fix }
    }
  }
}

/** Checks the names of tools, resources and prompts. */
function* checkToolNames({ controllerClass, name }: CheckedClass, { sources }: Project): Findings {
  const faults = toolNameFaults({ controllerClass, ...inspectMethods(controllerClass) }, name)
  for (const { property, method: action = '', message, fix } of faults) {
    const place = sources.ofEntry(controllerClass, property, action)
    yield { code: 'tool-name', place, message, fix, action }
  }
}

/** Checks that routes lead to tools, resources and prompts: with GET to a resource and to a prompt. */
function* checkExposure(one: CheckedClass, project: Project): Findings {
  for (const property of one.isService ? [] : (['tools', 'resources', 'prompts'] as const)) {
    for (const action of declaredMethods(one.controllerClass, property)) {
      const label = `static ${property} of ${one.className}`
      const place = project.sources.ofEntry(one.controllerClass, property, action)
      const problem = unreached(one, action, property, project)
      if (problem === undefined) continue
      const [reason, advice] = problem
      const message = `${label} names ${action}(), but ${reason}.`
      yield { code: 'tool-unreached', place, message, fix: `${advice}, or remove the name.`, action }
    }
  }
}

/** Returns why no request of a tool, a resource or a prompt reaches an action, and what to do. */
function unreached(one: CheckedClass, action: string, property: string, project: Project) {
  const method = one.methods.get(action)
  if (method?.isAction !== true) return undefined
  const views = project.routesTo(one.name).filter((view) => view.runs(action))
  if (views.length === 0) return property === 'prompts' ? undefined : ['no route leads to it', 'Define a route']
  const usual = bodyOf(method) === undefined ? 'GET' : 'POST'
  const requests = views.flatMap((view) => {
    const methods = methodsOf(project, one.name, action, view) ?? [usual]
    return methods.flatMap((each) => (property === 'tools' || each === 'GET' ? [{ view, each }] : []))
  })
  const [first] = requests
  if (first === undefined) return ['no route leads to it with GET', 'Define a route for GET']
  const taking = requests.map(({ view, each }) =>
    project.mapper.takenBy(view.route, { method: each, controller: one.name, action }),
  )
  const [other] = taking
  if (property === 'prompts' || other === undefined || taking.includes(undefined)) return undefined
  const { label } = new RouteView(other)
  const reason = `${first.view.label} is never reached: ${label} is defined before it and takes ${first.each}`
  return [reason, `Define a route to ${one.name}.${action} before ${label}`]
}
