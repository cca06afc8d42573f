/** Runs the commands and programs of a page in docs/recipes/ against a server. */
import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { execute } from '../harness.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A server that a recipe is about. */
export interface RecipeServer {
  /** Texts of the page, such as URLs, and what they are replaced by. */
  readonly replacements: Readonly<Record<string, string>>
  stop(): Promise<void>
}

interface Block {
  readonly language: 'sh' | 'ts'
  readonly line: number
  readonly code: string
}

/**
 * Declares the tests of a page. Its blocks run in order in one directory: `sh` blocks with `propylon` in the path, `ts`
 * blocks after the compiler has checked them. What they print must be what the comments behind `console.log` say.
 *
 * @param start - starts the server. It can put files into the directory that the blocks use.
 */
export function testRecipe(page: string, start: (directory: string) => Promise<RecipeServer>): void {
  describe(page, async () => {
    let directory: string
    let server: RecipeServer
    before(async () => {
      // Within the repository, so that the package resolves.
      directory = await mkdtemp(join(root, 'test/.recipe-'))
      await writeTools(directory)
      server = await start(directory)
    })
    after(async () => {
      await server?.stop()
      await rm(directory, { recursive: true, force: true })
    })

    for (const { language, line, code } of blocksOf(await readFile(join(root, page), 'utf8'))) {
      it(`has a block in line ${line} that runs`, async () => {
        let text = code
        for (const [from, to] of Object.entries(server.replacements)) text = text.replaceAll(from, to)
        if (language === 'sh') await runShell(directory, text)
        else assert.deepEqual(await runProgram(directory, text), printedBy(code))
      })
    }
  })
}

function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(sh|ts)\n(.*?)^```$/gms)].map(({ index, 1: language, 2: code = '' }) => ({
    language: language as Block['language'],
    line: page.slice(0, index).split('\n').length,
    code,
  }))
}

/** Returns the lines that the comments behind `console.log` say. */
function printedBy(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text = '']) => text)
}

async function writeTools(directory: string): Promise<void> {
  const bin = join(directory, 'bin')
  await mkdir(bin)
  const main = join(root, 'src/cli/main.ts')
  const command = `#!/bin/sh\nexec '${process.execPath}' --conditions=propylon-source '${main}' "$@"\n`
  await writeFile(join(bin, 'propylon'), command)
  await chmod(join(bin, 'propylon'), 0o755)
  const settings = { extends: '../../tsconfig.json', include: ['*.ts'] }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(settings))
}

async function runShell(directory: string, script: string): Promise<void> {
  await execute(['sh', '-ec', `cd '${directory}'\n${script}`], directory, {
    PATH: `${join(directory, 'bin')}:${process.env.PATH}`,
  })
}

async function runProgram(directory: string, code: string): Promise<string[]> {
  const file = join(directory, /^\/\/ (\S+\.ts)$/m.exec(code)?.[1] ?? 'program.ts')
  await writeFile(file, code)
  await execute([process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', directory], directory)
  const output = await execute(
    [
      'sh',
      '-c',
      `cd '${directory}' && exec "$@"`,
      'sh',
      process.execPath,
      '--conditions=propylon-source',
      file,
    ],
    directory,
  )
  return output.split('\n').slice(0, -1)
}
