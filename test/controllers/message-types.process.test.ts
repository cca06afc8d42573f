import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compile } from '../routing/compile.ts'

/** Returns a program whose controller has a method. */
const program = (
  register: string,
  body: string,
) => `import { type MessageKey, WSGIController } from 'propylon'
declare module 'propylon' {
  interface Register {
    ${register}
  }
}
export class PagesController extends WSGIController {
  index(key: MessageKey) {
    ${body}
    return key
  }
}
`

const VALUES = `messageValues: {
      home: Record<string, never>
      'loan.done': { name: string | number; day: Date | number }
    }`

describe('the compiler', () => {
  it('accepts any key of messages that are not registered', async () => {
    assert.equal(await compile(program('', "this.t('home'); this.t('x', { y: 1 }); this.t(key)")), '')
  })

  it('checks the keys and values of registered messages', async () => {
    const body = `this.t('home')
    this.t('home', {})
    this.t('loan.done', { name: 'Ann', day: new Date() })
    this.t(this.c.x ? 'home' : 'home')
    // @ts-expect-error no such message
    this.t('hoem')
    // @ts-expect-error the values are missing
    this.t('loan.done')
    // @ts-expect-error a value is missing
    this.t('loan.done', { name: 'Ann' })
    // @ts-expect-error a value is superfluous
    this.t('loan.done', { name: 'Ann', day: 1, more: 1 })
    // @ts-expect-error a value has another type
    this.t('loan.done', { name: 'Ann', day: 'today' })
    // @ts-expect-error the message takes no values
    this.t('home', { name: 'Ann' })`
    assert.equal(await compile(program(VALUES, body)), '')
  })

  it('checks the keys of a JSON file', async () => {
    const body =
      "this.t('home'); this.t('home', { any: 1 })\n    // @ts-expect-error no such message\n    this.t('hoem')"
    assert.equal(await compile(program('messages: { home: string; other: string }', body)), '')
  })

  it('names the key or the value that is wrong', async () => {
    const messages = (await compile(program(VALUES, "this.t('hoem'); this.t('loan.done', { name: 'x' })")))
      .trim()
      .split('\n')
      .map((line) => line.replace(/^.*: error /, ''))
    assert.deepEqual(messages, [
      `TS2345: Argument of type '"hoem"' is not assignable to parameter of type 'MessageKey'.`,
      "TS2741: Property 'day' is missing in type '{ name: string; }' but required in type '{ name: string | number; day: number | Date; }'.",
    ])
  })
})
