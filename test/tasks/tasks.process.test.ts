/** Checks that each task fails in a created project and is solved by its solution, which the documentation shows how to write. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createdProject } from '../tools/cli/command-process.ts'
import { checked, RIGHT, types } from '../tools/cli/project-checks.ts'
import type { Task } from './task.ts'

const HERE = fileURLToPath(new URL('./', import.meta.url))
const names = readdirSync(join(HERE, 'tasks')).map((file) => basename(file, '.ts'))

/** Runs the check of a task in a project. */
function solved(name: string, project: string): { readonly status: number | null; readonly output: string } {
  const words = ['--conditions=propylon-source', join(HERE, 'check.ts'), name]
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: project, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

test('there are twenty tasks, each with a solution', () => {
  assert.equal(names.length, 20)
  assert.deepEqual(readdirSync(join(HERE, 'solutions')).sort(), names.sort())
})

for (const name of names) {
  describe(`the task ${name}`, () => {
    let project = ''
    before(async () => {
      const { default: task }: { default: Task } = await import(`./tasks/${name}.ts`)
      project = await createdProject(...(task.options ?? []))
      const start = join(HERE, 'start', name)
      if (existsSync(start)) cpSync(start, project, { recursive: true })
    })

    test('is not solved in the project as it was created', () => {
      const { status, output } = solved(name, project)
      assert.equal(status, 1, output)
    })

    test('is solved by its solution', async () => {
      cpSync(join(HERE, 'solutions', name), project, { recursive: true })
      const { status, output } = solved(name, project)
      assert.equal(status, 0, output)
      const { output: findings } = await checked(project)
      assert.ok(findings.startsWith(RIGHT.output), findings)
      assert.equal(types(project), '')
    })
  })
}
