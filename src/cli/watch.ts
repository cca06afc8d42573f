import { readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import type { Project } from './project.ts'

/** Several changes within this time count as one: editors write a file in several steps. */
const SETTLING_MILLISECONDS = 50

/** What packages, version control, data and temporary files write does not count. */
const IGNORED = /^(node_modules|var|\..*)$|\.tmp$/

/**
 * Calls back when a file of the project has changed.
 *
 * @returns ends the watching.
 */
export function watchProject(project: Project, changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const noticed = (_event: string, path: string | null) => {
    if (path?.split(/[\\/]/).some((part) => IGNORED.test(part))) return
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLING_MILLISECONDS)
  }
  const folders = readdirSync(project.root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !IGNORED.test(entry.name))
    .map((entry) => watch(join(project.root, entry.name), { recursive: true }, noticed))
  const watchers = [watch(project.root, noticed), ...folders]
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
