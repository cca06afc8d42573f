/** The decorators of methods, for checks and tables. */

/** A decorator of a method. */
export interface Decoration {
  /**
   * Name of a decorator of the framework. Undefined for decorators of applications, which may change arguments and
   * results.
   */
  readonly decorator?: string
  /** The decorator as it is written: `restrict('DELETE')`. */
  readonly text: string
  /** The methods that it calls in place of the decorated one: option `form` of `validate`, methods of `dispatchOn`. */
  readonly targets?: readonly string[]
}

const known = new WeakMap<object, readonly Decoration[]>()

/** Returns the decorators of a method, the outermost first. */
export function decorationsOf(method: object): readonly Decoration[] {
  return known.get(method) ?? []
}

/** Records that a decorator has wrapped a method. */
export function recordDecoration(wrapper: object, method: object, decoration: Decoration): void {
  known.set(wrapper, [decoration, ...decorationsOf(method)])
}
