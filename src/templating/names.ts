/**
 * Template names: what is allowed as one, what it means inside another template, which existing one comes nearest.
 *
 * @module
 */

const MAX_NAME_LENGTH = 200

/** Says what is wrong with a name or that no template has it; the engine adds the place. */
export class TemplateNameError extends Error {
  override readonly name = 'TemplateNameError'
}

/**
 * The files that a name may mean, in the order of trying: with `.eta` added, then as it stands.
 *
 * A name starts at the templates' root. Inside a template a name that begins with `./` or `../` starts at that
 * template's folder, and may not climb out of the root either.
 *
 * @param from - the file of the template that names the other one.
 * @throws TemplateNameError for empty, absolute, climbing and otherwise unsafe names.
 */
export function candidateFiles(name: string, from?: string): string[] {
  const file = from !== undefined && /^\.\.?\//.test(name) ? resolveFrom(from, name) : name
  const fault = faultOf(file)
  if (fault !== undefined)
    throw new TemplateNameError(`${JSON.stringify(name)} is no template name: ${fault}`)
  return file.endsWith('.eta') ? [file] : [`${file}.eta`, file]
}

function faultOf(file: string): string | undefined {
  if (typeof file !== 'string') return 'it must be a string'
  if (file === '') return 'it is empty'
  if (file.length > MAX_NAME_LENGTH) return `it has more than ${MAX_NAME_LENGTH} characters`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f\u2028\u2029]/.test(file)) return 'it holds control characters'
  if (!file.isWellFormed()) return 'it is no well-formed text'
  if (file.startsWith('/')) return 'names start at the templates’ root, without a slash in front'
  if (/[\\:]/.test(file)) return 'it holds a backslash or a colon; folders are parted by /'
  for (const segment of file.split('/')) {
    if (segment === '..') return 'it leads out of the templates’ root'
    if (segment === '.' || segment === '') return 'it holds an empty segment or a dot segment'
  }
  return undefined
}

/** Resolves a relative name; what climbs out of the root keeps its `..` and so is refused. */
function resolveFrom(from: string, name: string): string {
  const segments = from.split('/').slice(0, -1)
  for (const segment of name.split('/')) {
    if (segment === '.') continue
    if (segment === '..' && segments.length > 0 && segments.at(-1) !== '..') segments.pop()
    else segments.push(segment)
  }
  return segments.join('/')
}

/** The name that takes the fewest edits to reach, if it is near enough to be meant. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  const wanted = name.replace(/\.eta$/, '')
  let nearest: string | undefined
  let fewest = Math.max(2, Math.floor(wanted.length / 3)) + 1
  for (const existing of names) {
    const bare = existing.replace(/\.eta$/, '')
    const sameLastPart = bare.split('/').at(-1) === wanted.split('/').at(-1)
    const edits = sameLastPart ? Math.min(1, editDistance(wanted, bare)) : editDistance(wanted, bare)
    if (edits < fewest) {
      fewest = edits
      nearest = bare
    }
  }
  return nearest
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min(replaced, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
