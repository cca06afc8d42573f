import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { pageAt } from './docs/blocks.ts'

/** The code blocks by the file name in their first line. */
const blocks = new Map(pageAt('README.md').blocks.map(({ file, code }) => [file, code]))

function block(file: string): string {
  const code = blocks.get(file)
  assert.ok(code !== undefined, `README.md has no block for ${file}`)
  return code
}

describe('README.md', () => {
  it('begins with the command that creates a site', () => {
    assert.match(pageAt('README.md').blocks[0]?.code ?? '', /^npm create propylon@latest /)
  })

  it('names the commands of a checkout in one block for contributors, and CI runs the one for tests', () => {
    const { blocks, text } = pageAt('README.md')
    const line = text.slice(0, text.indexOf('\n## Contributing\n')).split('\n').length
    const commands = blocks.filter((each) => each.line > line).map(({ code }) => code.trim().replaceAll(/ *#.*/g, ''))
    assert.deepEqual(commands, ['npm install && npm start\nnpm install && npm test'])
    const ci = readFileSync(new URL('../.ci/run', import.meta.url), 'utf8')
    assert.match(ci, /^time \{ npm install && \{ \S+ npm test /m)
  })

  it('is short', () => {
    const { text } = pageAt('README.md')
    assert.ok(text.split(/\s+/).length < 1000)
    assert.ok(block('app.ts').split('\n').length <= 24)
  })

  it('has the figures of the benchmarks', () => {
    const figures = (page: string) =>
      new Map(
        [
          ...pageAt(page).text.matchAll(
            /^\| (Propylon|Fastify|Hono|Express) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$/gm,
          ),
        ]
          .map(([, server = '', ...ratios]) => [server, ratios] as const)
          .reverse(),
      )
    const shown = figures('README.md')
    assert.equal(shown.size, 4)
    const benchmarks = figures('docs/reference/benchmarks.md')
    for (const [server, ratios] of shown) assert.deepEqual(ratios, benchmarks.get(server))
  })
})
