import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PAGES, pageOf, pagesIn } from './blocks.ts'

const FENCE = '```'

/** Returns the kinds of the blocks of a page. */
function kinds(...lines: string[]): string[] {
  return pageOf('page.md', `# Page\n\n${lines.join('\n')}\n`).blocks.map(({ kind }) => kind)
}

describe('the kind of a block', () => {
  for (const [info, code, kind] of [
    ['ts', '1 + 1 // → 2', 'run'],
    ['js', '1 + 1 // → 2', 'run'],
    ['ts fragment', 'const x = 1', 'fragment'],
    ['sh', '$ ls', 'shell'],
    ['sh', 'ls', 'unmarked'],
    ['sh fragment', 'ls', 'fragment'],
    ['json', '{}', 'data'],
    ['', 'ls', 'unmarked'],
    ['bash', 'ls', 'unmarked'],
    ['typescript', '1 + 1', 'unmarked'],
    ['fragment', 'ls', 'unmarked'],
  ] as const) {
    it(`is ${kind} for ${JSON.stringify(info)} with ${code}`, () => {
      assert.deepEqual(kinds(`${FENCE}${info}`, code, FENCE), [kind])
    })
  }

  it('is that of the code if the block is indented or fenced by tildes', () => {
    assert.deepEqual(kinds('1. A list', '', `   ${FENCE}sh`, '   ls', `   ${FENCE}`), ['unmarked'])
    assert.deepEqual(kinds('~~~sh', 'ls', '~~~'), ['unmarked'])
  })

  it('is unmarked for code without a file name on a page that is followed', () => {
    const walk = '<!-- walk -->\n'
    assert.deepEqual(kinds(walk, `${FENCE}ts`, '1 + 1 // → 3', FENCE), ['unmarked'])
    assert.deepEqual(kinds(walk, '`a.ts`', '', `${FENCE}ts fragment`, '1 + 1', FENCE), ['unmarked'])
    assert.deepEqual(kinds(walk, '`a.ts`', '', `${FENCE}ts`, '1 + 1', FENCE), ['run'])
  })
})

it('a block of a list loses its indentation', () => {
  const [block] = pageOf('page.md', `1. A list\n\n   ${FENCE}sh\n   $ cat <<E\n     x\n   E\n   ${FENCE}\n`).blocks
  assert.equal(block?.code, '$ cat <<E\n  x\nE\n')
})

it('the templates of the pages have no inline style or script that secureHeaders() blocks', () => {
  const blocked = / style="|<style>| on[a-z]+="|<script(?![^>]* (?:src|nonce)=)/
  const blocks = pagesIn(...PAGES).flatMap((page) => page.blocks)
  const wrong = blocks.filter(({ language, code }) => language === 'html' && blocked.test(code))
  assert.deepEqual(
    wrong.map(({ page, line }) => `${page}:${line}`),
    [],
  )
})
