/** Tests that the blocks of pages run as they say. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import { type Block, type Page, pagesIn } from './blocks.ts'
import { reflections, requestsOf } from './inputs.ts'
import { folderWithPackages, layOut, layOutProject } from './layout.ts'
import { instrument, isAsExpected } from './output.ts'
import { commandsOf, environmentHere, runCommand } from './shell.ts'

/** Defines the tests of all pages that match a pattern. Pages to be followed from an empty folder are in test/package. */
export function runPages(...patterns: string[]): void {
  const root = folderWithPackages()
  after(() => rmSync(root, { recursive: true }))
  for (const page of pagesIn(...patterns)) {
    describe(page.path, () => {
      for (const block of page.blocks) {
        if (block.kind === 'unmarked') it(`has commands after "$ " in line ${block.line}`, () => assert.fail())
        if (page.isWalk) continue
        if (block.kind === 'run') testModule(root, page, block)
        if (block.kind === 'shell') testCommands(root, page, block)
      }
    })
  }
}

function testModule(root: string, page: Page, block: Block): void {
  it(`has a block in line ${block.line} that runs and prints what it says`, async (context) => {
    const { code, expected } = instrument(block.code)
    const path = layOut(root, page, block, code)
    const log = context.mock.method(console, 'log', () => {})
    const calls = await requestsOf(() => import(pathToFileURL(path).href))
    const printed = log.mock.calls.map(({ arguments: values }) => format(...values))
    const isExpected =
      printed.length === expected.length && printed.every((text, i) => isAsExpected(text, expected[i] ?? ''))
    if (!isExpected) assert.deepEqual(printed, expected)
    assert.deepEqual(await reflections(calls), [], 'It returns its input as HTML')
  })
}

function testCommands(root: string, page: Page, block: Block): void {
  for (const command of commandsOf(block.code)) {
    it(`has a command in line ${block.line} that prints what it says: ${command.text}`, async () => {
      const cwd = layOutProject(root, page, block)
      await runCommand(command, { cwd, env: environmentHere(root) })
    })
  }
}
