/**
 * Checks whether a task is solved, in the project of the working directory.
 *
 *     node test/tasks/check.ts TASK
 *
 * The application and the client of the checks come from the project.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestAppOptions } from 'propylon/testing'
import type { Task } from './task.ts'

const [name = ''] = process.argv.slice(2)
const folder = process.cwd()
const { default: task }: { default: Task } = await import(`./tasks/${name}.ts`)
Object.assign(process.env, { NODE_ENV: 'test', ...task.env })

const required = createRequire(join(folder, 'package.json')).resolve('propylon/testing')
const { TestApp }: typeof import('propylon/testing') = await import(pathToFileURL(required).href)
const { default: app } = await import(pathToFileURL(join(folder, 'app.ts')).href)
await task.check({ folder, visitor: (options: TestAppOptions = {}) => new TestApp(app, options) })
