/** Identifiers of operations. */

/** Returns the identifier of an operation: `admin/books`, `index` → `admin_books_index`. */
export function operationName(controller: string, action: string): string {
  return `${controller}_${action}`.replaceAll(/[/-]/g, '_')
}

/** An operation that needs an identifier. */
export interface Unnamed {
  readonly controller: string
  readonly action: string
  /** In lower case. */
  readonly method: string
}

/**
 * Returns unique identifiers, in the order of the operations. The first operation of an action has the name of the action,
 * further ones the method behind it, then a number.
 */
export function operationIds(operations: readonly Unnamed[]): string[] {
  const taken = new Set<string>()
  const claim = (...candidates: readonly string[]): string => {
    const last = candidates.at(-1) ?? ''
    let name = candidates.find((candidate) => !taken.has(candidate)) ?? last
    for (let number = 2; taken.has(name); number++) name = `${last}_${number}`
    taken.add(name)
    return name
  }
  const firsts = new Map<string, string>()
  const indices = new Set<number>()
  for (const [index, { controller, action }] of operations.entries()) {
    const key = `${controller} ${action}`
    if (firsts.has(key)) continue
    firsts.set(key, claim(operationName(controller, action)))
    indices.add(index)
  }
  return operations.map(({ controller, action, method }, index) => {
    const first = firsts.get(`${controller} ${action}`) ?? ''
    return indices.has(index) ? first : claim(`${operationName(controller, action)}_${method}`)
  })
}
