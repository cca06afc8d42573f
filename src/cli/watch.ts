import { type FSWatcher, watch } from 'node:fs'
import type { Project } from './project.ts'

/** Several changes within this time count as one: editors write a file in several steps. */
const SETTLING_MILLISECONDS = 50

/** Calls back when a file of the project has changed; what packages, version control and data write does not count. */
export function watchProject(project: Project, changed: () => void): FSWatcher {
  let timer: NodeJS.Timeout | undefined
  return watch(project.root, { recursive: true }, (_event, path) => {
    if (path !== null && /(^|[\\/])(node_modules|\.[^\\/]*|var)([\\/]|$)|\.tmp$/.test(path)) return
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLING_MILLISECONDS)
  })
}
