/**
 * Returns the known word that a mistyped one most likely means: the only one that begins with it, or else the one at the
 * smallest edit distance, if at most a third of the longer word's letters differ.
 */
export function nearest(typed: string, known: Iterable<string>): string | undefined {
  if (typed.length > 64) return undefined
  let best: string | undefined
  let bestDistance = Number.POSITIVE_INFINITY
  const beginning: string[] = []
  for (const word of known) {
    const distance = editDistance(typed.toLowerCase(), word.toLowerCase())
    if (distance < bestDistance) {
      best = word
      bestDistance = distance
    }
    if (typed !== '' && word.startsWith(typed)) beginning.push(word)
  }
  if (beginning.length === 1) return beginning[0]
  if (best === undefined) return undefined
  return bestDistance <= Math.max(1, Math.floor(Math.max(typed.length, best.length) / 3)) ? best : undefined
}

/** Number of insertions, deletions, substitutions and transpositions from `a` to `b` (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let cost = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      )
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1)
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
