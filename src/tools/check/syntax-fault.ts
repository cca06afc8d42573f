import { fileURLToPath } from 'node:url'
import { unreadableModule } from './module-graph.ts'
import { ProjectModules } from './modules.ts'

/** Parses a module and those that it imports. Returns the place of the first syntax error, or undefined without one. */
export function placeOfSyntaxError(file: URL): { path: string; line: number; column: number } | undefined {
  return unreadableModule(fileURLToPath(file), new ProjectModules())
}
