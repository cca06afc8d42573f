import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { shortenCode } from '../../scripts/smaller-code.ts'

/** Imports a module from its text. */
const load = (code: string) => import(`data:text/javascript,${encodeURIComponent(code)}`)

/** Returns the frames of a stack: the name of the function and the line. */
const framesOf = (stack: string) =>
  [...stack.matchAll(/^ +at (?:async )?(?:(.+) \()?.*:(\d+):\d+\)?$/gm)].map(([, name, line]) => [
    name,
    Number(line),
  ])

const CODE = `const LIMIT = 2;
export class Counter {
    #count = 0;
    constructor(start = 0) {
        this.#count = start;
    }
    async next(step) {
        const doubled = (given) => {
            if (given > LIMIT) {
                throw new Error('too large');
            }
            return given * 2;
        };
        return this.#add(doubled(step));
    }
    #add(amount) {
        this.#count += amount;
        return this.#count;
    }
    static has(value) {
        return #count in value && #add in value;
    }
}
`

describe('the code of the build', () => {
  it('does the same', async () => {
    const { Counter } = await load(await shortenCode(CODE))
    assert.equal(await new Counter(5).next(2), 9)
    assert.equal(Counter.has(new Counter()), true)
    assert.equal(Counter.has({}), false)
    await assert.rejects(new Counter().next(3), { message: 'too large' })
  })

  it('keeps the names of functions, classes and methods, and of what is outside functions', async () => {
    const short = await shortenCode(CODE)
    assert.match(short, /\bLIMIT=2[\s\S]*class Counter[\s\S]*doubled=[\s\S]*#add\(/)
    assert.doesNotMatch(short, /\bgiven\b|\bamount\b|\bstep\b/)
    const { Counter } = await load(short)
    const { stack } = await new Counter().next(3).catch((error: Error) => error)
    assert.deepEqual(
      framesOf(stack)
        .map(([name]) => name)
        .slice(0, 2),
      ['doubled', 'Counter.next'],
    )
  })

  it('has a line for each statement and each member of a class', async () => {
    const lines = (await shortenCode(CODE)).split('\n')
    assert.deepEqual(
      lines.map((line) => line.replaceAll(/\b[a-z]\b/g, '_').replaceAll('#_', '#')),
      [
        'const LIMIT=2',
        'export class Counter{',
        '#=0',
        'constructor(_=0){',
        'this.#=_}',
        'async next(_){',
        'const doubled=_=>{',
        'if(_>LIMIT)throw new Error("too large")',
        'return _*2}',
        'return this.#add(doubled(_))}',
        '#add(_){',
        'this.#+=_',
        'return this.#}',
        'static has(_){',
        'return# in _&&#add in _}}',
      ],
    )
  })
})
