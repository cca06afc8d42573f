/** Inputs that several subjects use. All are JSON values. */
import fc from 'fast-check'

/** Text of bytes: the characters U+0000 to U+00FF. */
export const bytes = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength })

/** Well-formed Unicode text, also of characters that have a meaning in some syntax. */
export const text = (maxLength = 20): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength }),
    fc.string({
      unit: fc.constantFrom(...'aZ0 .-_~!$&\'()*+,;=:@/?#[]%"<>\\^`{|}\t\r\n\0\x7fé日😀'),
      maxLength,
    }),
  )

/** Text that node:http accepts as the value of a header field. */
export const headerText = (maxLength = 40): fc.Arbitrary<string> =>
  bytes(maxLength).map((value) => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').trim())

/** Text of the given pieces, with some others between. */
export const soup = (pieces: readonly string[], maxLength = 10): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...pieces) }, headerText(3)), { maxLength })
    .map((parts) => parts.join(''))

/** A place in a text, as a fraction of its length. */
export const place: fc.Arbitrary<number> = fc.double({ min: 0, max: 1, noNaN: true })

/** Optional white space of header fields. */
export const blank: fc.Arbitrary<string> = fc.constantFrom('', '', ' ', '\t', '  ')

/** A token of HTTP. */
export const token: fc.Arbitrary<string> = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}$/)

/** A change of one place of a text. */
export type Edit = { readonly place: number; readonly remove: number; readonly insert: string }

/** Changes of a text. */
export const edits = (inserted: fc.Arbitrary<string>): fc.Arbitrary<readonly Edit[]> =>
  fc.array(fc.record({ place, remove: fc.nat(5), insert: inserted }), { minLength: 1, maxLength: 3 })

/** Applies changes in turn. */
export function edited(text: string, changes: readonly Edit[]): string {
  for (const { place, remove, insert } of changes) {
    const at = Math.floor(place * text.length)
    text = text.slice(0, at) + insert + text.slice(at + remove)
  }
  return text
}

/** Cuts bytes at fractions of their length. */
export function piecesOf(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = places.map((each) => Math.floor(each * bytes.length)).sort((one, other) => one - other)
  const pieces: Uint8Array[] = []
  let start = 0
  for (const end of [...ends, bytes.length]) {
    if (end > start) pieces.push(bytes.slice(start, end))
    start = Math.max(start, end)
  }
  return pieces
}

/** Returns pieces as the body of a request. */
export async function* streamOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}
