/**
 * The part of CSS selectors that tests need: `tag`, `#id`, `.class`, `[name]`, `[name=value]` (also `^=`, `$=`, `*=`,
 * `~=`), descendants, `>` for children, and lists parted by commas.
 *
 * @module
 */

/** What a selector asks of an element. */
export interface Selectable {
  readonly tagName: string
  readonly parent: Selectable | undefined
  attribute(name: string): string | undefined
}

type Test = (element: Selectable) => boolean

interface Step {
  readonly test: Test
  /** Whether the element before must be the parent, not any ancestor. */
  readonly child: boolean
}

const SIMPLE =
  /([#.]?)([\w-]+)|\*|\[\s*([\w:-]+)\s*(?:([~^$*]?=)\s*(?:"([^"]*)"|'([^']*)'|([^\s\]]+))\s*)?\]/y

/**
 * Makes a test of a selector.
 *
 * @throws TypeError for what is not understood.
 */
export function compileSelector(selector: string): Test {
  const alternatives = splitList(selector).map((part) => parseSteps(part, selector))
  return (element) => alternatives.some((steps) => matches(element, steps, steps.length - 1))
}

/** Parts a list at the commas that stand outside of brackets. */
function splitList(selector: string): string[] {
  const parts = ['']
  for (const piece of selector.match(/\[(?:"[^"]*"|'[^']*'|[^\]"'])*\]|,|[^,[]+|\[/g) ?? []) {
    if (piece === ',') parts.push('')
    else parts[parts.length - 1] += piece
  }
  return parts.map((part) => part.trim())
}

function parseSteps(part: string, selector: string): Step[] {
  const steps: Step[] = []
  let position = 0
  let child = false
  while (position < part.length) {
    const tests: Test[] = []
    for (;;) {
      SIMPLE.lastIndex = position
      const found = SIMPLE.exec(part)
      if (found === null) break
      tests.push(simpleTest(found))
      position = SIMPLE.lastIndex
    }
    const combinator = /^\s*(>)?\s*/.exec(part.slice(position))
    const skipped = combinator?.[0] ?? ''
    position += skipped.length
    const more = position < part.length
    if (tests.length === 0 || (more && skipped === '') || (!more && combinator?.[1] === '>')) {
      throw new TypeError(`the selector ${JSON.stringify(selector)} is not understood`)
    }
    steps.push({ test: (element) => tests.every((test) => test(element)), child })
    child = combinator?.[1] === '>'
  }
  if (steps.length === 0) throw new TypeError(`the selector ${JSON.stringify(selector)} is empty`)
  return steps
}

function simpleTest(found: RegExpExecArray): Test {
  const [all, mark, name = '', attribute, operator, ...values] = found
  if (all === '*') return () => true
  if (attribute !== undefined) {
    return attributeTest(attribute.toLowerCase(), operator, values.find((value) => value !== undefined) ?? '')
  }
  if (mark === '#') return (element) => element.attribute('id') === name
  if (mark === '.') return (element) => hasWord(element.attribute('class'), name)
  return (element) => element.tagName === name.toLowerCase()
}

function attributeTest(attribute: string, operator: string | undefined, value: string): Test {
  const compare: (actual: string) => boolean =
    operator === undefined
      ? () => true
      : operator === '='
        ? (actual) => actual === value
        : operator === '~='
          ? (actual) => hasWord(actual, value)
          : operator === '^='
            ? (actual) => value !== '' && actual.startsWith(value)
            : operator === '$='
              ? (actual) => value !== '' && actual.endsWith(value)
              : (actual) => value !== '' && actual.includes(value)
  return (element) => {
    const actual = element.attribute(attribute)
    return actual !== undefined && compare(actual)
  }
}

function hasWord(words: string | undefined, word: string): boolean {
  return words?.split(/\s+/).includes(word) ?? false
}

function matches(element: Selectable, steps: readonly Step[], index: number): boolean {
  const step = steps[index]
  if (step === undefined || !step.test(element)) return false
  if (index === 0) return true
  for (let above = element.parent; above !== undefined; above = above.parent) {
    if (matches(above, steps, index - 1)) return true
    if (step.child) return false
  }
  return false
}
