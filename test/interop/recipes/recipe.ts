/** Runs the commands and programs of a section of docs/recipes/rpc-services.md against a server. */
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Block, pageAt, ROOT } from '../../docs/blocks.ts'
import { fileOf, folderWithPackages } from '../../docs/layout.ts'
import { instrument, isAsExpected } from '../../docs/output.ts'
import { commandsOf, environmentHere, runCommand } from '../../docs/shell.ts'
import { execute } from '../harness.ts'

const PAGE = 'docs/recipes/rpc-services.md'

/** A server that a recipe is about. */
export interface RecipeServer {
  /** Texts of the page, such as URLs, and what they are replaced by. */
  readonly replacements: Readonly<Record<string, string>>
  /** Environment of the commands. */
  readonly env?: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/**
 * Declares the tests of a product. The blocks of its section run in order in one directory. The compiler checks programs before
 * they run.
 *
 * @param product - heading of the section.
 * @param start - starts the server. It can put files into the directory.
 */
export function testRecipe(product: string, start: (directory: string) => Promise<RecipeServer>): void {
  describe(`the recipe of ${product}`, () => {
    const directory = folderWithPackages()
    let server: RecipeServer
    before(async () => {
      server = await start(directory)
    })
    after(async () => {
      await server?.stop()
      await rm(directory, { recursive: true, force: true })
    })

    for (const block of blocksOf(product)) {
      it(`has a block in line ${block.line} that runs and prints what it says`, async () => {
        let { code } = block
        for (const [from, to] of Object.entries(server.replacements)) code = code.replaceAll(from, to)
        if (block.kind === 'run') return runProgram(directory, { ...block, code })
        assert.equal(block.kind, 'shell', 'write commands after "$ "')
        const env = { ...environmentHere(directory), ...server.env }
        for (const command of commandsOf(code)) await runCommand(command, { cwd: directory, env })
      })
    }
  })
}

/** Returns the blocks below a heading, up to the next one. */
function blocksOf(heading: string): readonly Block[] {
  const { text, blocks } = pageAt(PAGE)
  const headings = [...text.matchAll(/^## (.*)$/gm)]
  const lineOf = (index: number) => text.slice(0, index).split('\n').length
  const at = headings.findIndex(([, name]) => name === heading)
  const begin = lineOf(headings[at]?.index ?? assert.fail(`${PAGE} has no section ${heading}`))
  const end = lineOf(headings[at + 1]?.index ?? text.length)
  return blocks.filter(({ line }) => line > begin && line < end)
}

async function runProgram(directory: string, block: Block): Promise<void> {
  const file = fileOf(block)
  await writeFile(join(directory, file), block.code)
  await compile(directory, file)
  const { code, expected } = instrument(block.code)
  await writeFile(join(directory, file), code)
  const run = ['sh', '-c', 'cd "$1" && exec "$2" --conditions=propylon-source "$3"']
  const printed = await execute([...run, 'sh', directory, process.execPath, file], directory)
  if (!isAsExpected(printed, expected.join('\n'))) assert.equal(printed, expected.join('\n'))
}

async function compile(directory: string, file: string): Promise<void> {
  const settings = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(ROOT, 'node_modules/@types')] },
    include: [],
    files: [file],
  }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(settings))
  await execute([process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', directory], directory)
}
