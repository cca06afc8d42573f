/**
 * An application as the rules read it: its routes, and the descriptions of its loaded controllers.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
import type { FrameworkApp } from '../../app/framework-app.ts'
import { MESSAGES } from '../../app/languages.ts'
import { isControllerClass } from '../../app/loaded-controller.ts'
import { withoutCode } from '../../base/error-code.ts'
import { getOrCreate } from '../../base/get-or-create.ts'
import { oncePer } from '../../base/once-per.ts'
import { errorMessage, errorSummary, isInstance, memberOf } from '../../base/thrown.ts'
import { type ControllerClass, inspectMethods } from '../../controllers/class-methods.ts'
import { DeclarationError, type DeclarationFault } from '../../controllers/declaration-faults.ts'
import { declaredArguments, declaredResult, UNDECLARED } from '../../controllers/declarations.ts'
import { decorationsOf } from '../../controllers/decorators/decorations.ts'
import { otherPage } from '../../controllers/forms/other-page.ts'
import { type Parameters, parametersOf } from '../../controllers/parameters.ts'
import { DEFAULT_ALLOW } from '../../controllers/statics.ts'
import { EtaEngine } from '../../http/templating/eta.ts'
import { DEFAULT_FACES } from '../../rpc/controllers/service-controller.ts'
import { loadFailure } from '../reload/load-failure.ts'
import { Sources } from '../sources/sources.ts'
import { TemplateFiles } from '../sources/template-files.ts'
import { RouteView } from './route-view.ts'

/** A method of a loaded class. */
export type Method = ReturnType<typeof readMethod>

/** A loaded class. */
export type CheckedClass = ReturnType<typeof readClass>

/** A controller of an application: a class, a WSGI application, or the reason why it does not load. */
export type Entry =
  | CheckedClass
  | ReturnType<typeof brokenController>
  | { readonly kind: 'application'; readonly name: string; readonly file: string | undefined }

/** An application as the rules read it. */
export type Project = ReturnType<typeof projectOf>

function projectOf(app: FrameworkApp, all: readonly Entry[], sources: Sources) {
  const { mapper, templates: engine, [MESSAGES]: messages } = app
  const classes = all.filter((each) => each.kind === 'class')
  const targets = classes.flatMap(targetsOf)
  const leading = new Map<string, readonly RouteView[]>()
  // Static routes and redirects lead to no action.
  const routes = mapper.routes
    .filter((route) => !route.static && route.redirect === undefined)
    .map((route) => new RouteView(route))
  const templates = engine instanceof EtaEngine ? new TemplateFiles(engine.source) : undefined
  /** Returns the routes that lead to a controller. */
  const routesTo = (controller: string): readonly RouteView[] =>
    getOrCreate(leading, controller, () => routes.filter((route) => route.leadsTo(controller)))
  /**
   * Returns the actions of a class, and the methods that are called in place of actions, with the routes that reach
   * them.
   */
  const reached = oncePer((one: CheckedClass) =>
    [...one.methods.values()].flatMap((method) => {
      const calling = targets.filter((each) => each.controller === one.name && each.name === method.name)
      if (!method.isAction && calling.length === 0) return []
      const callers = [...calling, ...(method.isAction ? [{ caller: one.name, action: method.name }] : [])]
      const views = callers.flatMap((each) => routesTo(each.caller).filter((view) => view.runs(each.action)))
      return [{ method, routes: [...new Set(views)], isTarget: calling.length > 0 }]
    }),
  )
  return {
    app,
    mapper,
    messages,
    entries: new Map(all.map((entry) => [entry.name, entry])),
    classes,
    routes,
    routesTo,
    reached,
    sources,
    /** Undefined if they are not known. */
    templates: templates?.isEmpty === false ? templates : undefined,
  }
}

/** Returns the methods that decorators and `body({ form })` of a class name, with the actions that name them. */
export function targetsOf({ name: caller, methods }: CheckedClass) {
  return [...methods.values()].flatMap(({ declared, decorations, name: action }) => {
    const form = declared?.kind === 'converters' ? declared.body?.declaration.options.form : undefined
    const named = [
      ...decorations.flatMap(({ text, targets = [] }) => targets.map((target) => ({ target, user: text }))),
      ...(form === undefined ? [] : [{ target: form, user: undefined }]),
    ]
    return named.map(({ target, user }) => {
      const page = otherPage(target) ?? { controller: caller, action: target }
      return { caller, action, target, user, controller: page.controller, name: page.action }
    })
  })
}

/** Returns the parameter that receives the body. */
export function bodyOf({ declared }: Method) {
  return declared?.kind === 'converters' ? declared.body : undefined
}

/** Returns what converts an argument, also the body. */
export function converterOf(method: Method, argument: string) {
  const body = bodyOf(method)
  if (body?.name === argument) return body.declaration
  return method.declared?.kind === 'converters' ? method.declared.converters.get(argument) : undefined
}

/** Returns true if a decorator of the application may change the arguments and the result of a method. */
export function hasOwnDecorator({ decorations }: Method): boolean {
  return decorations.some(({ decorator }) => decorator === undefined)
}

/** Returns true if a class may add any arguments. */
export function overridesArguments({ methods }: CheckedClass): boolean {
  return methods.has('_get_method_args')
}

/**
 * Returns the methods with which a route runs an action; null for any. Routes that name the action may restrict the
 * others.
 */
export function methodsOf({ mapper }: Project, controller: string, action: string, { route }: RouteView) {
  return route.methods ?? mapper.unsafeActions(controller).get(action) ?? null
}

/**
 * Loads the controllers of an application.
 *
 * @param entry - path of the module that creates the application.
 * @param root - path of the project.
 */
export async function loadProject(app: FrameworkApp, entry: string, root: string): Promise<Project> {
  app.controllers.onLoad = undefined // Debug mode logs what the check reports.
  const entries: Entry[] = []
  for (const [name, source] of app.controllers.sources()) {
    const file = source instanceof URL ? fileURLToPath(source) : undefined
    const application = { kind: 'application', name, file } as const
    try {
      const loaded = await app.controllers.find(name)
      // A class that extends nothing is an application of its own, without hooks and actions.
      const isOwn = loaded?.kind === 'class' && Reflect.has(loaded.controllerClass.prototype, '_get_method_args')
      entries.push(isOwn ? readClass(name, loaded.controllerClass, file) : application)
    } catch (error) {
      const cause = memberOf(error, 'cause')
      // The rules report the declarations of the class with their places.
      const isClass = isInstance(cause, DeclarationError) && isControllerClass(cause.controllerClass)
      entries.push(
        isClass
          ? readClass(name, cause.controllerClass, file, cause.faults)
          : brokenController(name, file ?? entry, error, root),
      )
    }
  }
  return projectOf(app, entries, new Sources([...controllerFiles(app), entry]))
}

/** Returns the paths of the files of controllers. */
function controllerFiles({ controllers }: FrameworkApp): string[] {
  const sources = [...controllers.sources().values()].filter((source) => source instanceof URL)
  return sources.map((source) => fileURLToPath(source))
}

function brokenController(name: string, file: string, error: unknown, root: string) {
  const cause = memberOf(error, 'cause')
  /** Whether the module threw. Otherwise it has no controller. */
  const isThrown = cause !== undefined
  const failure = isThrown ? loadFailure(cause, root, () => new Sources([file]).paths) : undefined
  const { path = file, line = 1, column = 1 } = failure?.place ?? {}
  const text = withoutCode(errorMessage(error), memberOf(error, 'code')) ?? errorMessage(error)
  const own = isThrown ? errorSummary(cause) : text.replace(/^Controller ".*?" cannot be loaded: /, '')
  const reason = failure?.place === undefined ? own : failure.reason
  return { kind: 'broken', name, reason, place: { file: path, line, column }, isThrown } as const
}

/** @param faults - what the class declares and nothing reads. */
function readClass(
  name: string,
  controllerClass: ControllerClass,
  file: string | undefined,
  faults: readonly DeclarationFault[] = [],
) {
  const className = controllerClass.name || name
  const { actions, methods, base } = inspectMethods(controllerClass)
  const faces: unknown = Reflect.get(controllerClass, 'faces') ?? Reflect.get(controllerClass, DEFAULT_FACES)
  const read = [...methods].flatMap(([method, value]) => {
    const isMalformed = faults.some((fault) => fault.property === 'args' && fault.method === method)
    const label = `${className}.${method}`
    const head = { name: method, label, isAction: actions.has(method), isMalformed }
    return typeof value === 'function' ? [readMethod(controllerClass, head, value)] : []
  })
  return {
    kind: 'class' as const,
    /** The name in routes. */
    name,
    className,
    controllerClass,
    /** Path of the file. Undefined for a class of a record. */
    file,
    isService: DEFAULT_ALLOW in controllerClass,
    faces: Array.isArray(faces) ? faces.filter((face) => typeof face === 'string') : [],
    methods: new Map(read.map((method) => [method.name, method])),
    /** Prototype of the framework's class that the application's classes extend. */
    base: base ?? Object.prototype,
    faults,
  }
}

interface MethodHead {
  readonly name: string
  /** `UsersController.show` */
  readonly label: string
  readonly isAction: boolean
  /** Whether its entry in `static args` is wrong. */
  readonly isMalformed: boolean
}

/** Reads what a method takes and gives. */
function readMethod(owner: ControllerClass, head: MethodHead, value: object) {
  const { name, isMalformed } = head
  const declared = declaredArguments(owner, name)
  const read = parametersIn(value)
  const stated = declared?.kind === 'names' ? declared.names : undefined
  const isDestructured = read?.kind === 'destructured'
  return {
    ...head,
    value,
    parameters: stated ?? read?.names.map((parameter) => parameter.name) ?? [],
    isDestructured,
    /** Whether it takes the whole match, or its parameters are unknown. */
    takesAll: isMalformed || (stated === undefined && (read === undefined || (isDestructured && read.rest))),
    declared,
    result: declaredResult(owner, name) ?? UNDECLARED,
    decorations: decorationsOf(value),
  }
}

function parametersIn(method: object): Parameters | undefined {
  try {
    return parametersOf(method)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
