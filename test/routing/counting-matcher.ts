/**
 * A backtracking matcher that counts its steps: it tries alternatives in the order in which JavaScript's regular expressions do.
 * It understands what the tests of backtracking need: characters, classes, groups, alternatives, quantifiers, look-ahead.
 */

type Continue = (at: number) => boolean
type Node = (at: number, next: Continue) => boolean

/** Matches the whole of a text against an expression. */
export function countSteps(source: string, text: string, maximum: number): { matches: boolean; steps: number } {
  let steps = 0
  let at = 0

  function choice(): Node {
    const branches = [sequence()]
    while (source[at] === '|') {
      at++
      branches.push(sequence())
    }
    return (position, next) => branches.some((branch) => branch(position, next))
  }

  function sequence(): Node {
    const nodes: Node[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') nodes.push(quantified(term()))
    const from = (index: number, next: Continue): Continue => {
      const node = nodes[index]
      return node === undefined ? next : (position) => node(position, from(index + 1, next))
    }
    return (position, next) => from(0, next)(position)
  }

  function term(): Node {
    if (source[at] === '(') return group()
    const [atom = ''] = /^(?:\\.|\[(?:\\.|[^\]])*\]|.)/s.exec(source.slice(at)) ?? []
    at += atom.length
    const regex = new RegExp(`^(?:${atom})$`, 's')
    return (position, next) => {
      steps++
      if (steps > maximum) throw new RangeError(`more than ${maximum} steps`)
      return position < text.length && regex.test(text[position] ?? '') && next(position + 1)
    }
  }

  function group(): Node {
    const [opening = '('] = /^\((?:\?[:=!])?/.exec(source.slice(at)) ?? []
    at += opening.length
    const node = choice()
    at++
    if (opening === '(?=') return (position, next) => node(position, () => true) && next(position)
    if (opening === '(?!') return (position, next) => !node(position, () => true) && next(position)
    return node
  }

  function quantified(node: Node): Node {
    const [text = '', sign, least, comma, most] = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})/.exec(source.slice(at)) ?? []
    if (text === '') return node
    at += text.length
    const lazy = source[at] === '?'
    if (lazy) at++
    const min = sign ? (sign === '+' ? 1 : 0) : Number(least)
    const max = sign ? (sign === '?' ? 1 : Infinity) : comma ? Number(most || Infinity) : Number(least)
    const repeat = (count: number, position: number, next: Continue): boolean => {
      // An optional iteration must not be empty (ECMA-262 §22.2.2.3.1).
      const again = () =>
        count < max && node(position, (end) => (count < min || end > position) && repeat(count + 1, end, next))
      if (count < min) return again()
      return lazy ? next(position) || again() : again() || next(position)
    }
    return (position, next) => repeat(0, position, next)
  }

  const root = choice()
  return { matches: root(0, (position) => position === text.length), steps }
}
