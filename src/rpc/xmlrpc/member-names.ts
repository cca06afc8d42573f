import type { Scanner } from './scanner.ts'

const LT = 0x3c
const SLASH = 0x2f

const NAME_SLOTS = 512
const MAX_CACHED_NAME = 32
/** Member names by hash. Structs of one document repeat the same few names. */
const cachedNames: string[] = new Array<string>(NAME_SLOTS).fill('')

/** Reads the name of a member of a struct, up to its end tag. */
export function memberName(scanner: Scanner): string {
  if (scanner.selfClosed) return ''
  const { text, pos } = scanner
  let at = pos
  let hash = 0
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === LT) break
    if (!isNameCode(code) || at - pos === MAX_CACHED_NAME) return scanner.characters()
    hash = (hash * 31 + code) | 0
    at++
  }
  if (text.charCodeAt(at + 1) !== SLASH) return scanner.characters()
  const slot = hash & (NAME_SLOTS - 1)
  const cached = cachedNames[slot] ?? ''
  if (cached.length === at - pos && text.startsWith(cached, pos)) {
    scanner.pos = at
    return cached
  }
  const name = scanner.characters()
  cachedNames[slot] = name
  return name
}

/** Returns true for an ASCII letter or digit, and for `_`, `-`, `.` and `/`. */
function isNameCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x2d && code <= 0x39) ||
    code === 0x5f
  )
}
