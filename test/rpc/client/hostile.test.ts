import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { describe, it } from 'node:test'
import { generate, load } from './generated.ts'
import { EVIL, hostile } from './hostile.ts'

/** Returns the first operation of a client. */
function firstOf(group: object): ((args: object) => Promise<unknown>) | undefined {
  const [member] = Object.values(group)
  return typeof member === 'object' ? firstOf(member) : member
}

describe('generated clients', () => {
  it('have no code of a hostile document', async () => {
    const path = generate(hostile())
    const js = stripTypeScriptTypes(await readFile(path, 'utf8'))
    const code = js.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|'(?:[^'\\\n]|\\.)*'/gm, '')
    assert.doesNotMatch(code, /evil\(/)
    assert.doesNotMatch(js, /[\u2028\u202e]/)
  })

  it('send the names of a hostile document', async () => {
    let sent = ''
    const { createClient } = await load(hostile())
    const api = createClient({
      baseUrl: 'http://x.test/a',
      fetch: async (url, init) => {
        sent = `${url} ${init.body}`
        return Response.json(null)
      },
    })
    const call = firstOf(api)
    assert.ok(call)
    await assert.rejects(call({}), /missing or empty/)
    const names = [EVIL, `${EVIL}2`]
    assert.equal(await call({ [names[0] ?? '']: 'a/b', [names[1] ?? '']: 'c&d' }), null)
    assert.equal(sent, `http://x.test/a/${EVIL}/a%2Fb?${encodeURIComponent(EVIL)}=c%26d null`)
    assert.equal(Object.getPrototypeOf(api), Object.prototype)
  })

  it('are equal for equal documents', async () => {
    const [one, other] = await Promise.all([1, 2].map(async () => readFile(generate(hostile()), 'utf8')))
    assert.equal(one, other)
  })
})
