/** Reads the source of functions, which the engine has compiled already. */
import { listItems, nameOf, nestedTokens, type Token } from '../base/javascript.ts'

/** A function. */
export interface FunctionSource {
  /** The tokens of each parameter. */
  readonly parameters: readonly (readonly Token[])[]
  /** The tokens of the statements, or of the expression of an arrow function. */
  readonly body: readonly Token[]
  readonly isExpression: boolean
  readonly isGenerator: boolean
}

/**
 * Reads the source text of a method or function. For an asynchronous one that a build rewrote for older runtimes it
 * returns the generator inside, which has the parameters. Undefined if the text is not a function, as for native and
 * bound functions.
 */
export function readFunction(source: string): FunctionSource | undefined {
  const outer = functionIn(nestedTokens(source))
  return outer && (innerFunction(outer) ?? outer)
}

function functionIn(tokens: readonly Token[]): FunctionSource | undefined {
  const arrow = tokens.findIndex(({ text }) => text === '=>')
  const start = arrow === -1 ? tokens.length - 1 : arrow + 1
  const [list, body] = [tokens[arrow === -1 ? start - 1 : arrow - 1], tokens[start]]
  if (list === undefined || body === undefined || isNative(body)) return undefined
  // The parentheses in front of the body of a class are an argument of what it extends.
  const isClass = tokens[0]?.text === 'class' && tokens[1] !== list
  if (arrow === -1 && (isClass || list.text !== '(' || body.text !== '{')) return undefined
  const isExpression = body.text !== '{'
  return {
    parameters: list.text === '(' ? listItems(list.inside ?? []) : [[list]],
    body: isExpression ? tokens.slice(start) : (body.inside ?? []),
    isExpression,
    isGenerator: tokens.slice(0, start).some(({ text }) => text === '*'),
  }
}

/** Returns true for `{ [native code] }`. */
function isNative({ inside: [list] = [] }: Token): boolean {
  return list?.text === '[' && list.inside?.map(({ text }) => text).join(' ') === 'native code'
}

/**
 * Returns the generator of a function that only passes its arguments to it: `return __async(this, arguments,
 * function* (id) { … })` of esbuild and TypeScript, `return _async(function* (id) { … }).apply(this, arguments)` of
 * Babel and SWC.
 */
function innerFunction({ body }: FunctionSource): FunctionSource | undefined {
  const start = body.findLastIndex(({ text }) => text === 'return')
  const call = body.slice(start).filter(({ text }) => text !== ';')
  const passed = listItems(call.at(-1)?.inside ?? [])
  if (start === -1 || !passed.some(([first, second]) => first?.text === 'arguments' && second === undefined)) {
    return undefined
  }
  const wrapped = call.at(-3)?.text === '.' ? listItems(call.at(-4)?.inside ?? []) : passed
  const last = wrapped.at(-1) ?? []
  const inner = last.length === 1 && last[0]?.inside ? last[0].inside : last
  return inner[0]?.text === 'function' && inner[1]?.text === '*' ? functionIn(inner) : undefined
}

/** Returns the indexes that a function reads from `arguments`: of parameters without names. */
export function argumentReads({ body }: FunctionSource): number[] {
  return [...ownTokens(body, true)].flatMap(([{ text }, next]) => {
    const [index, more] = text === 'arguments' && next?.text === '[' ? (next.inside ?? []) : []
    return index !== undefined && more === undefined && /^\d/.test(index.text) ? [Number(nameOf(index))] : []
  })
}

/**
 * Returns true for a function that ends without a value: it neither returns one nor throws, as far as its own
 * statements say.
 */
export function returnsNothing({ body, isExpression, isGenerator }: FunctionSource): boolean {
  const ends = [...ownTokens(body, false)].some(([{ text }, next]) => {
    if (next === undefined || /^[;:]$/.test(next.text)) return false
    return text === 'throw' || (text === 'return' && !next.startsLine)
  })
  return !isExpression && !isGenerator && !ends && !endsWithCall(body)
}

/** Returns true if the last statement calls a function by its name. It may throw, such as `abort(404)` or a fault. */
function endsWithCall(body: readonly Token[]): boolean {
  const last = body.at(-1)?.text === ';' ? -2 : -1
  const [call, name, before, head] = [body.at(last), body.at(last - 1), body.at(last - 2), body.at(last - 3)]
  if (call?.text !== '(' || name === undefined || name.inside || BLOCK_HEADS.has(name.text)) return false
  if (before === undefined || /^[;{]$/.test(before.text)) return true
  return name.startsLine && before.text !== 'else' && !BLOCK_HEADS.has(head?.text ?? '')
}

/** Words whose parentheses a block follows, though they are not the names of methods. */
const BLOCK_HEADS: ReadonlySet<string> = new Set(['await', 'catch', 'for', 'if', 'switch', 'while', 'with'])

/**
 * Returns the tokens of a function with the next ones in their brackets, except names of members, and functions and
 * classes inside, in which `arguments` has another meaning.
 *
 * @param entersArrows - whether to return the statements of arrow functions.
 */
function* ownTokens(
  tokens: readonly Token[],
  entersArrows: boolean,
): Generator<[token: Token, next: Token | undefined]> {
  let skipped = -1
  for (const [at, token] of tokens.entries()) {
    const { text } = token
    const [next, block] = [tokens[at + 1], tokens[at + 2]]
    if (at <= skipped) continue
    if (/^(?:function|class)$/.test(text) && next?.text !== ':') {
      skipped = tokens.findIndex((each, index) => index > at && each.text === '{')
    } else if (next?.text === '(' && block?.text === '{' && !BLOCK_HEADS.has(text)) {
      skipped = at + 2 // A method of an object.
    } else if ((text === '=>' && next?.text === '{' && !entersArrows) || (/^\??\.$/.test(text) && !next?.inside)) {
      skipped = at + 1
    } else {
      yield [token, next]
      yield* ownTokens(token.inside ?? [], entersArrows)
    }
  }
}
