/** Field names that describe nested values: `books-0.title` of FormEncode, `books[0][title]` of Rails, PHP and qs. */

/** The end of a list, as in `tags[]`. */
export const APPEND = Symbol('[]')

/** A member of an object by its name, an element of a list by its number, or a further element. */
export type Step = string | number | typeof APPEND

/** The part up to a dot: a name, then brackets. Sticky, so that a long name is read in linear time. */
const PART = /([^.[\]]+)((?:\[[^[\]]*\])*)(?:\.(?=.)|$)/sy
const NUMBERED = /^([^-]+)-(\d{1,9})$/
const INDEX = /^\d{1,9}$/

/**
 * Returns the steps of a field name. A name that follows neither grammar is a single step.
 *
 * @param name - for instance `books-0.title`, `books[0][title]` or `tags[]`.
 */
export function fieldPath(name: string): readonly Step[] {
  const steps: Step[] = []
  for (let at = 0; at < name.length; at = PART.lastIndex) {
    PART.lastIndex = at
    const [, front, brackets = ''] = PART.exec(name) ?? []
    if (front === undefined) return [name]
    const [, list = front, index] = NUMBERED.exec(front) ?? []
    steps.push(list)
    if (index !== undefined) steps.push(Number(index))
    for (const [, key = ''] of brackets.matchAll(/\[([^\]]*)\]/g)) {
      steps.push(key === '' ? APPEND : INDEX.test(key) ? Number(key) : key)
    }
  }
  // An element that is appended has no name, so nothing can follow.
  const append = steps.indexOf(APPEND)
  return steps.length > 0 && (append === -1 || append === steps.length - 1) ? steps : [name]
}
