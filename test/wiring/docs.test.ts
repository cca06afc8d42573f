import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { propylon, writeTree } from '../cli/command-line.ts'
import { project } from './project.ts'

const page = readFileSync(new URL('../../docs/wiring.md', import.meta.url), 'utf8')

/** The blocks in order: files to write, commands with what they print. */
const BLOCKS = [
  ...page.matchAll(
    /^(?:`([\w/.]+)`:\n\n```ts\n(.*?)^```$|```sh\nnpx propylon (.*?)\n```\n\n```text\n(.*?)^```$)/gms,
  ),
].map(([, path, code, command, output]) => ({ path, code, command, output }))

describe('docs/wiring.md', () => {
  let folder: string
  before(() => {
    folder = project({})
  })

  it('has a file name or a command before each block', () => {
    const fences = page.match(/^```\w+$/gm) ?? []
    const files = BLOCKS.filter(({ path }) => path !== undefined)
    assert.ok(files.length > 5)
    assert.equal(fences.length, files.length + 2 * (BLOCKS.length - files.length))
  })

  for (const [index, { path, code = '', command = '', output }] of BLOCKS.entries()) {
    if (path === undefined) {
      it(`shows what propylon ${command} prints (block ${index + 1})`, async () => {
        const { stdout } = await propylon(command.split(' '), { cwd: folder })
        assert.equal(stdout, output)
      })
    } else {
      it(`has a ${path} that runs (block ${index + 1})`, async () => {
        writeTree(folder, { [path]: code })
        const copy = join(folder, `block-${index}.ts`)
        writeFileSync(copy, code)
        await import(pathToFileURL(copy).href)
      })
    }
  }
})
