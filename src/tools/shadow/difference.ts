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
  const text = jsonOf(value) ?? 'nothing'
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

/** Returns a difference, or nothing if the values are the same. */
export function differenceOf(where: string, old: unknown, fresh: unknown): Difference[] {
  return jsonOf(old) === jsonOf(fresh) ? [] : [{ where, old: shownText(old), new: shownText(fresh) }]
}

function jsonOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_name, part) => (typeof part === 'bigint' ? `${part}n` : part))
}
