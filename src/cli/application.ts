import type { FrameworkApp } from '../app/framework-app.ts'
import { findFile, importFile, isRecord, type Project } from './project.ts'
import { Failure, Refusal } from './refusal.ts'

/** What the command line uses of a project's application. */
export type ProjectApplication = Pick<FrameworkApp, 'wsgi' | 'mapper' | 'controllers'>

const FILES = ['app.ts', 'app.js'] as const

/** The file that exports a project's application. Throws a Refusal where there is none. */
export function applicationFile(project: Project): string {
  const file = findFile(project, FILES)
  if (file !== undefined) return file
  throw new Refusal(
    'the project has no app.ts',
    'let it export the application: export default new FrameworkApp({ … })',
  )
}

/** The application that a project's `app.ts` exports by default. Throws a Refusal where there is none, a Failure where it does not load. */
export async function loadApplication(project: Project): Promise<ProjectApplication> {
  const file = applicationFile(project)
  let module: Record<string, unknown>
  try {
    module = await importFile(project, file)
  } catch (error) {
    throw new Failure(`${file} does not load`, { cause: error })
  }
  if (!isApplication(module.default)) {
    throw new Refusal(`${file} exports no application`, 'end it with: export default new FrameworkApp({ … })')
  }
  return module.default
}

function isApplication(value: unknown): value is ProjectApplication {
  return (
    isRecord(value) &&
    typeof value.wsgi === 'function' &&
    isRecord(value.mapper) &&
    isRecord(value.controllers)
  )
}
