/**
 * Parameters of a method, read from its source.
 *
 * At run time parameter names exist only in `Function.prototype.toString()`. They are read from its tokens unless they
 * are a plain list, because regular expressions fail on defaults, patterns, comments and strings.
 */
import { listItems, nameOf, type Token } from '../base/javascript.ts'
import { argumentReads, readFunction } from './function-source.ts'

/** Parameters of a method: a list, or the members of one destructured object (`rest`: all of them). */
export type Parameters =
  | { readonly kind: 'positional'; readonly names: readonly Parameter[] }
  | { readonly kind: 'destructured'; readonly names: readonly Parameter[]; readonly rest: boolean }

/** One parameter. */
export interface Parameter {
  readonly name: string
  /** False if the source has a default for it. */
  readonly required: boolean
}

/** Decorated methods by their wrapper. The parameters of the decorated method are injected. */
const originals = new WeakMap<object, object>()

/** Methods that a decorator of an application wraps, which may add arguments of its own. */
const decorated = new WeakSet<object>()

/** Gives a decorator's wrapper the parameters of the method that it wraps. */
export function takesParametersOf(wrapper: object, original: object): void {
  originals.set(wrapper, originals.get(original) ?? original)
  if (decorated.has(original)) decorated.add(wrapper)
}

/** Returns true for a method that may receive arguments from a decorator of the application. */
export function mayReceiveMore(method: object): boolean {
  return decorated.has(method)
}

/**
 * Gives a wrapper the parameters of the method that it wraps if it names none itself: `function (...args)`.
 * Decorators of applications return such functions.
 */
export function inheritParameters(wrapper: object, original: object): void {
  if (wrapper === original || originals.has(wrapper) || namesParameters(wrapper)) return
  takesParametersOf(wrapper, original)
  decorated.add(wrapper)
}

function namesParameters(method: object): boolean {
  // A native or bound function has no source.
  return readFunction(String(method))?.parameters.some((parameter) => !isRest(parameter)) === true
}

/** Returns the method that a decorator wrapped, or the method itself. */
export function originalMethod(method: object): object {
  return originals.get(method) ?? method
}

/**
 * Reads the parameters of a method.
 *
 * @throws SyntaxError - the method is native or bound and has no source, or a parameter has no name.
 */
export function parametersOf(method: object): Parameters {
  const source = String(originalMethod(method))
  return plainParameters(source) ?? readParameters(source)
}

/** Matches the head of a method or function whose parameters are names. */
const PLAIN_HEAD =
  /^(?:async\s+)?(?:function\b\s*)?\*?\s*[\w$]*\s*\(\s*((?:[A-Za-z_$][\w$]*\s*,\s*)*(?:[A-Za-z_$][\w$]*\s*)?)\)\s*\{/

/**
 * Returns the parameters of a function if all of them are names, as most are. The first use of the tokenizer
 * takes milliseconds.
 *
 * @returns undefined if its tokens have to be read: it may be native, or read `arguments`.
 */
function plainParameters(source: string): Parameters | undefined {
  const list = PLAIN_HEAD.exec(source)?.[1]
  if (list === undefined || /\barguments\b|\[native code\]/.test(source)) return undefined
  const names = list.split(',').map((name) => name.trim())
  return {
    kind: 'positional',
    names: names.filter((name) => name !== '').map((name) => ({ name, required: true })),
  }
}

function readParameters(source: string): Parameters {
  const read = readFunction(source)
  if (read === undefined) throw new SyntaxError('the source of the method cannot be read')
  const { parameters } = read
  const [first] = parameters
  if (parameters.length === 1 && first?.[0]?.text === '{') return destructured(listItems(first[0].inside ?? []))
  const rest = parameters.find(isRest)
  const names = parameters.filter((parameter) => parameter !== rest).map(named)
  const unnamed = rest === undefined ? argumentReads(read).find((index) => index >= names.length) : undefined
  if (unnamed !== undefined) throw new SyntaxError(`it reads arguments[${unnamed}], a parameter without a name`)
  // A compiler passes a rest parameter to a function that it has generated.
  const all = rest?.[1]?.text
  if (names.length === 0 && all?.startsWith('_')) throw new SyntaxError(`it takes all arguments as ${all}`)
  return { kind: 'positional', names }
}

function isRest([first]: readonly Token[]): boolean {
  return first?.text === '...'
}

/** Returns parameters for names that `static args` declares. */
export function statedParameters(names: readonly string[]): Parameters {
  return { kind: 'positional', names: names.map((name) => ({ name, required: false })) }
}

/** Short words that are names of arguments more often than a minifier's. */
const SHORT_WORDS: ReadonlySet<string> = new Set([
  ...['id', 'day', 'doc', 'key', 'lat', 'lng', 'lon', 'max', 'min', 'ref', 'row', 'sku', 'tag', 'uid', 'uri', 'url'],
])

/**
 * Returns true for names such as minifiers and compilers give: up to three characters, or one letter with digits, `_`
 * or `$`.
 */
export function looksRenamed(name: string): boolean {
  if (SHORT_WORDS.has(name.replace(/^_/, ''))) return false
  return name.length <= 3 || /^_*[A-Za-z]?[$_]*\d+$|\$\d*$/.test(name)
}

function destructured(members: readonly (readonly Token[])[]): Parameters {
  const names = members.filter((member) => !isRest(member))
  if (names.some(([key]) => key?.text === '[')) {
    throw new SyntaxError('a computed key in the destructured parameter cannot be matched by name')
  }
  return { kind: 'destructured', names: names.map(parameterOf), rest: members.some(isRest) }
}

function named(parameter: readonly Token[]): Parameter {
  if (parameter[0]?.inside === undefined) return parameterOf(parameter)
  throw new SyntaxError('a pattern among several parameters has no name; destructure one single parameter instead')
}

function parameterOf(tokens: readonly Token[]): Parameter {
  const [name] = tokens
  return { name: name === undefined ? '' : nameOf(name), required: tokens.every(({ text }) => text !== '=') }
}
