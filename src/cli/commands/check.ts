/**
 * `propylon check`: compares routes, controllers and actions.
 *
 * @module
 */

import { suspendStartChecks } from '../../app/start-check.ts'
import { type Finding, findingData, formatPlace } from '../../wiring/finding.ts'
import { errorSummary, isInstance, memberOf } from '../../wsgi/thrown.ts'
import type { Command, Context } from '../command.ts'
import { CommandError } from '../errors.ts'
import { applicationFile, findProject, loadApplication, type Project, pathIn } from '../project.ts'
import { print, styled } from '../terminal.ts'

/** `propylon check` */
export const check: Command = {
  name: 'check',
  summary: 'Check that routes, controllers, actions and arguments fit together',
  arguments: [],
  options: { json: { type: 'boolean', summary: 'Print JSON' } },
  details: [
    'Reads the sources of the controllers, and reports what the compiler cannot see: arguments that no route\nsupplies, types that they cannot have, routes to missing actions, actions without a route, misspelt hooks,\nunknown options.',
    'The exit status is 1 if there is an error. Warnings alone leave it 0.',
  ],
  examples: ['propylon check', 'propylon check --json | jq .[].message'],
  importsProject: 'always',
  async run(parsed, context) {
    const project = findProject(context.cwd)
    const findings = await findingsOf(project)
    if (parsed.flag('json')) {
      const data = findings.map((finding) => findingData(finding, project.root))
      print(context, JSON.stringify(data, null, 2))
    } else printFindings(context, findings, project)
    return findings.some(({ severity }) => severity === 'error') ? 1 : 0
  },
}

async function findingsOf(project: Project): Promise<readonly Finding[]> {
  // Routes record where they are defined, unless NODE_ENV is production.
  if (process.env.NODE_ENV === 'production') process.env.NODE_ENV = 'development'
  const { checkWiring } = await import('../../wiring/check.ts')
  const entry = pathIn(project, applicationFile(project))
  suspendStartChecks()
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 50 // The routing file is far from where the mapper throws.
  try {
    return await checkWiring(await loadApplication(project), { entry, loads: true })
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return [await loadFinding(error, project)]
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Returns the finding for an application that does not load. */
async function loadFinding({ message, cause }: CommandError, { root }: Project): Promise<Finding> {
  const { placeInProject } = await import('../../wiring/stack.ts')
  const place = isInstance(cause, Error) ? placeInProject(cause, root) : undefined
  if (isDefinitionError(cause)) {
    return {
      code: 'route-definition',
      severity: 'error',
      place,
      message: cause.message.replace(/\n {2}fix: .*$/s, ''),
      fix: cause.fix,
    }
  }
  return {
    code: 'application-unloadable',
    severity: 'error',
    place,
    message: `${message}: ${errorSummary(cause).replace(/[.\s]+$/, '')}.`,
    fix: 'Routes and controllers are checked once it loads.',
  }
}

/** Returns true for a RouteDefinitionError, also of another copy of this package. */
function isDefinitionError(error: unknown): error is Error & { readonly fix: string } {
  return isInstance(error, Error) && memberOf(error, 'name') === 'RouteDefinitionError' && 'fix' in error
}

function printFindings(context: Context, findings: readonly Finding[], { root }: Project): void {
  if (findings.length === 0) {
    print(context, 'Routes, controllers, actions and arguments fit together.')
    return
  }
  for (const finding of findings) {
    const { severity, place } = finding
    const where = place === undefined ? '' : `${formatPlace(place, root)} `
    const style = severity === 'error' ? 'red' : 'yellow'
    print(context, [
      styled('cyan', where),
      styled(style, `${severity}:`),
      ` ${finding.message} ${finding.fix}`,
    ])
  }
  const counts = (['error', 'warning'] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length
    return count === 0 ? [] : `${count} ${severity}${count === 1 ? '' : 's'}`
  })
  print(context, counts.join(', '))
}
