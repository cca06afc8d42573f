/** Procedures of a class. Read once per class. */
import { type ControllerClass, inspectMethods } from '../metadata.ts'
import { type Arity, arityOf } from '../rpc/arity.ts'

/** One procedure. */
export interface Procedure {
  readonly method: (...args: unknown[]) => unknown
  readonly arity: Arity
}

const known = new WeakMap<ControllerClass, ReadonlyMap<string, Procedure>>()

/** Returns the procedures of a class by name. */
export function proceduresOf(controllerClass: ControllerClass): ReadonlyMap<string, Procedure> {
  let procedures = known.get(controllerClass)
  if (procedures === undefined) {
    const made = new Map<string, Procedure>()
    for (const [name, method] of inspectMethods(controllerClass).actions) {
      if (isMethod(method)) made.set(name, { method, arity: arityOf(method) })
    }
    procedures = made
    known.set(controllerClass, procedures)
  }
  return procedures
}

function isMethod(value: unknown): value is Procedure['method'] {
  return typeof value === 'function'
}
