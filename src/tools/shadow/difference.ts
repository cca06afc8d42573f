/** A difference between two responses. */
export interface Difference {
  /** Place: `status`, `header location`, `body items.0.title`, `body html > body > h1`. */
  readonly where: string
  readonly old: string
  readonly new: string
}

const MAX_TEXT = 200

/** Returns a value as a report shows it. */
export function shownText(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

/** Returns a difference, or nothing if the values are the same. */
export function differenceOf(where: string, old: unknown, fresh: unknown): Difference[] {
  const [oldText, newText] = [JSON.stringify(old), JSON.stringify(fresh)]
  return oldText === newText ? [] : [{ where, old: shownText(old), new: shownText(fresh) }]
}
