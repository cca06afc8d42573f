/** What is known of a controller class before any request: made once, then only looked up. */
import { actionsOf, type ControllerClass, methodsOf } from './actions.ts'
import { type Invocation, planInvocation } from './arguments.ts'

/** The plan of a controller class. */
export interface ControllerPlan {
  readonly name: string
  readonly before: Invocation | undefined
  readonly after: Invocation | undefined
  /** The invocation of an action by the name in the URL, where a dash stands for an underscore. */
  action(name: string): Invocation | undefined
  /** The invocation of any method of the application's own classes, for code: names from a URL never come here. */
  method(name: string): Invocation | undefined
  /** The names of all actions. */
  readonly actionNames: readonly string[]
}

const plans = new WeakMap<ControllerClass, ControllerPlan>()

/** The plan of a class. An action's parameters are read when it is first called, so that one odd method harms no other. */
export function planOf(controllerClass: ControllerClass): ControllerPlan {
  let plan = plans.get(controllerClass)
  if (plan === undefined) {
    plan = makePlan(controllerClass)
    plans.set(controllerClass, plan)
  }
  return plan
}

function makePlan(controllerClass: ControllerClass): ControllerPlan {
  const className = controllerClass.name || 'Controller'
  const actions = actionsOf(controllerClass)
  const invocations = new Map<string, Invocation>()
  const otherMethods = new Map<string, Invocation>()

  function plan(name: string, method: unknown): Invocation {
    return planInvocation(`${className}.${name}`, method, statedNames(controllerClass, name))
  }

  function hook(name: '__before__' | '__after__'): Invocation | undefined {
    const method: unknown = Reflect.get(controllerClass.prototype, name)
    return method === undefined ? undefined : plan(name, method)
  }

  return {
    name: className,
    before: hook('__before__'),
    after: hook('__after__'),
    actionNames: [...actions.keys()].sort(),
    action(name) {
      const known = invocations.get(name)
      if (known !== undefined) return known
      const methodName = name.replaceAll('-', '_')
      const method = actions.get(methodName)
      if (method === undefined) return undefined
      const invocation = invocations.get(methodName) ?? plan(methodName, method)
      invocations.set(methodName, invocation)
      if (name !== methodName && invocations.size < 2 * actions.size) invocations.set(name, invocation)
      return invocation
    },
    method(name) {
      if (actions.has(name)) return this.action(name)
      const known = otherMethods.get(name)
      if (known !== undefined) return known
      const method = methodsOf(controllerClass).get(name)
      if (method === undefined) return undefined
      const invocation = plan(name, method)
      otherMethods.set(name, invocation)
      return invocation
    },
  }
}

/** The names that `static args` of the class, or of one it extends, gives for a method. */
function statedNames(controllerClass: ControllerClass, method: string): readonly string[] | undefined {
  let owner: object | null = controllerClass
  while (typeof owner === 'function') {
    if (Object.hasOwn(owner, 'args')) {
      const args: unknown = Reflect.get(owner, 'args')
      if (typeof args === 'object' && args !== null && Object.hasOwn(args, method)) {
        return checkStated(`${controllerClass.name}.args.${method}`, Reflect.get(args, method))
      }
    }
    owner = Object.getPrototypeOf(owner)
  }
  return undefined
}

function checkStated(label: string, names: unknown): readonly string[] {
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names
  throw new TypeError(`${label} must be an array of parameter names`)
}
