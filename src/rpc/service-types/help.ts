/** A parameter, as the documentation of a method describes it. */
export interface DocumentedParameter {
  readonly name: string
  /** Type as it is written, or undefined if there is none: `string`, `array|bool`. */
  readonly type: string | undefined
  /** Whether the text says that the parameter is optional or has a default value. */
  readonly isOptional: boolean
}

/** The tags in the documentation of a method. */
export interface DocumentedTypes {
  readonly parameters: readonly DocumentedParameter[]
  /** Type of the result as it is written, or undefined if there is none. */
  readonly result: string | undefined
}

/** Number of characters of a documentation that are read, and of parameters that are kept. */
const MAX_LENGTH = 20_000
const MAX_PARAMETERS = 100

/** `@param {type} [name=default] text` (JSDoc). */
const BRACED = /^@param\s+\{([^{}]*)\}\s+(\[?)\$?([\w.]+)(.*)$/
/** `@param type name text` (supervisor) and `@param type $name text` (phpDocumentor), or `@param name text`. */
const PLAIN = /^@param\s+(\S+)(?:\s+(\S+))?(.*)$/
/** `:param type name: text` or `:param name: text` (Sphinx). */
const FIELD = /^:param\s+(?:([^:]*?)\s+)?(\w+)\s*:(.*)$/
const FIELD_TYPE = /^:type\s+(\w+)\s*:\s*(.+)$/
const RESULT = /^@returns?\s+(?:\{([^{}]*)\}|(\S+))/
const FIELD_RESULT = /^:rtype\s*:\s*(\S+)/

const OPTIONAL = /\boptional\b|\bdefaults?\s*(?:to|is|value|:|=)|\(default\b/i

/** Words for types, in the documentation of servers in Python, PHP, Ruby, Perl and JavaScript. */
const TYPE_WORDS: ReadonlySet<string> = new Set(
  `any array base64 binary bool boolean bytes callable date datetime datetime.iso8601 dict dictionary double false float
  hash i4 i8 int integer iterable list map mixed nil none null number object scalar str string struct structure text true
  tuple unicode void`.split(/\s+/),
)

/** Parses the `@param` and `@return` tags of a method's documentation, in the forms of several languages. */
export function parseHelp(help: string): DocumentedTypes {
  const parameters: DocumentedParameter[] = []
  const types = new Map<string, string>()
  let result: string | undefined
  for (const line of help.slice(0, MAX_LENGTH).split(/[\r\n\u2028\u2029]+/)) {
    const text = line.replace(/^[\s*]+/, '').trimEnd()
    if (text === '') continue
    const parameter = parameterOf(text)
    if (parameter !== undefined && parameters.length < MAX_PARAMETERS) parameters.push(parameter)
    const [, name = '', type = ''] = FIELD_TYPE.exec(text) ?? []
    if (name !== '') types.set(name, type)
    const [, braced, plain] = RESULT.exec(text) ?? FIELD_RESULT.exec(text) ?? []
    result ??= braced ?? plain
  }
  return {
    parameters: parameters.map((each) => ({ ...each, type: each.type ?? types.get(each.name) })),
    result,
  }
}

function parameterOf(text: string): DocumentedParameter | undefined {
  const braced = BRACED.exec(text)
  if (braced !== null) {
    const [, type = '', bracket, name = '', rest = ''] = braced
    return { name, type: type.replace(/=$/, ''), isOptional: bracket === '[' || isOptional(type, rest) }
  }
  const field = FIELD.exec(text)
  if (field !== null) {
    const [, type, name = '', rest = ''] = field
    return { name, type, isOptional: isOptional(type ?? '', rest) }
  }
  const plain = PLAIN.exec(text)
  if (plain === null) return undefined
  const [, first = '', second, rest = ''] = plain
  if (second !== undefined && !first.startsWith('$') && (second.startsWith('$') || isType(first))) {
    return { name: nameOf(second), type: first, isOptional: isOptional(first, second + rest) }
  }
  return {
    name: nameOf(first),
    type: undefined,
    isOptional: isOptional('', `${first} ${second ?? ''}${rest}`),
  }
}

function nameOf(word: string): string {
  return /\w+/.exec(word)?.[0] ?? ''
}

function isType(word: string): boolean {
  return typeWords(word).every((each) => TYPE_WORDS.has(each) || each.endsWith('[]'))
}

function isOptional(type: string, text: string): boolean {
  const words = typeWords(type)
  return (
    type.endsWith('=') ||
    type.startsWith('?') ||
    (words.length > 1 && words.some((word) => /^(?:null|none|nil)$/.test(word))) ||
    /^\[|=/.test(text.trimStart().split(/\s/)[0] ?? '') ||
    OPTIONAL.test(text)
  )
}

/** Divides a documented type into its alternatives, in lower case: `?String|int[]` is `string` and `int[]`. */
export function typeWords(type: string): string[] {
  return type
    .toLowerCase()
    .replace(/^\?/, '')
    .split(/\s*[|/]\s*/)
    .filter((word) => word !== '')
}
