import type { Mapper } from '../routing/mapper.ts'
import { checkWiring } from './check.ts'
import type { ControllerSources } from './controllers.ts'
import { type FindingCode, formatFinding } from './finding.ts'

/** Findings that the application logs itself, as soon as it is created. */
const LOGGED: ReadonlySet<FindingCode> = new Set(['route-unreachable', 'route-duplicate-name'])

/**
 * Returns the warnings about the wiring of an application that starts. Loads no controller, so that each is still loaded
 * by the first request that needs it.
 *
 * @param entry - path of the module that creates the application.
 */
export async function startWarnings(
  { mapper, controllers }: { readonly mapper: Mapper<unknown>; readonly controllers: ControllerSources },
  entry: string | undefined,
): Promise<string[]> {
  const findings = await checkWiring({ mapper, controllers }, { entry, loads: false })
  return findings
    .filter(({ code }) => !LOGGED.has(code))
    .map((finding) => formatFinding(finding, process.cwd()))
}
