/** Runs test files in this process, one after the other. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve as resolvePath } from 'node:path'
import { after, describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { ROOT } from './files.ts'

/** The work that processes share. */
export interface Work {
  readonly files: readonly string[]
  /** Time that the tests of one file may take, in milliseconds. */
  readonly timeout: number
}

/**
 * Imports the files that no other process has claimed, each in a suite with its path as the name. Hooks at the top
 * level of a file belong to its suite.
 *
 * @param folder has `work.json`, and a folder for each claimed file.
 */
export async function runClaimed(folder: string): Promise<void> {
  // Properties have the same input in each run, so that a test fails by a change and not by chance.
  fc.configureGlobal({ seed: seedOf(process.env.PROPYLON_TEST_SEED ?? '1') })
  const { files, timeout }: Work = JSON.parse(readFileSync(join(folder, 'work.json'), 'utf8'))
  const running = join(folder, `running-${process.pid}`)
  for (const [i, file] of files.entries()) {
    if (!claim(join(folder, `claim-${i}`))) continue
    writeFileSync(running, file)
    await runFile(file, timeout)
    rmSync(running)
  }
}

/** Runs the tests of a file, and resolves when they have ended, however they end. */
function runFile(file: string, timeout: number): Promise<void> {
  return new Promise((resolve) => {
    // A suite that is cancelled may leave out its hooks.
    const limit = setTimeout(resolve, timeout + 10_000).unref()
    const end = () => {
      clearTimeout(limit)
      resolve()
    }
    describe(file, { timeout }, async () => {
      after(end)
      try {
        await import(pathToFileURL(resolvePath(ROOT, file)).href)
      } catch (error) {
        end()
        throw error
      }
    })
  })
}

function seedOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Error(`PROPYLON_TEST_SEED is ${JSON.stringify(text)}. Give a number of up to nine digits.`)
}

/** Returns whether a folder was created here. */
function claim(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
