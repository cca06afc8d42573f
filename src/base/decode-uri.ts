/** Returns percent-encoded text decoded. Undefined if it is malformed. */
export function decodeUri(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
