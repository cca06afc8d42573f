/**
 * Prepares a task for a coding assistant, and checks what the assistant has written.
 *
 *     node test/agents/run.ts                       lists the tasks
 *     node test/agents/run.ts prepare TASK FOLDER   creates a project with the packed package, and TASK.md
 *     node test/agents/run.ts check TASK FOLDER     runs propylon check, the tests of the project and those of the task
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Task } from './task.ts'

const HERE = fileURLToPath(new URL('./', import.meta.url))
const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const [action = 'list', name = '', typed = ''] = process.argv.slice(2)
const names = readdirSync(join(HERE, 'tasks')).map((file) => basename(file, '.ts'))
if (action === 'list') console.log(names.join('\n'))
else if (!names.includes(name) || typed === '') throw new Error('Name a task of the list, and a folder.')
else if (action === 'prepare') await prepare(name, resolve(typed))
else if (action === 'check') process.exitCode = check(name, resolve(typed))
else throw new Error(`There is no action ${action}. Write prepare or check.`)

async function prepare(name: string, folder: string): Promise<void> {
  const { default: task }: { default: Task } = await import(`./tasks/${name}.ts`)
  const scratch = mkdtempSync(join(tmpdir(), 'propylon-task-'))
  execFileSync('npm', ['pack', '--silent', '--pack-destination', scratch], { cwd: ROOT, stdio: 'inherit' })
  const [archive = ''] = readdirSync(scratch)
  const main = join(ROOT, 'dist/cli/main.js')
  const words = ['create', folder, '--propylon', `file:${join(scratch, archive)}`, ...(task.options ?? [])]
  execFileSync(process.execPath, [main, ...words], { stdio: ['ignore', 'ignore', 'inherit'] })
  const start = join(HERE, 'start', name)
  if (existsSync(start)) cpSync(start, folder, { recursive: true })
  writeFileSync(join(folder, 'TASK.md'), `${task.text.trim()}\n`)
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent'], { cwd: folder, stdio: 'inherit' })
  rmSync(scratch, { recursive: true })
}

/** Returns the exit status: 0 if the task is solved. */
function check(name: string, folder: string): number {
  const commands = [
    ['npx', 'propylon', 'check'],
    ['npm', 'test', '--silent'],
    ['npx', 'node', join(HERE, 'check.ts'), name],
  ]
  for (const [program = '', ...words] of commands) {
    const { status } = spawnSync(program, words, { cwd: folder, stdio: 'inherit' })
    if (status !== 0) return 1
  }
  console.log(`${name} is solved.`)
  return 0
}
