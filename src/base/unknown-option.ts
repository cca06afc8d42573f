import { describeValue } from './describe.ts'
import { similar } from './suggest.ts'

/** Returns the message for an option that does not exist, with the option that it most likely means. */
export function unknownOption(place: string, name: string, known: readonly string[]): string {
  const meant = similar(name, known)
  const fix = meant === undefined ? `Its options are ${known.join(', ')}.` : `Did you mean ${meant}?`
  return `${place} has no option ${describeValue(name)}. ${fix}`
}
