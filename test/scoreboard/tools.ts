/** The referees that are installed in a folder of their own. */
import { documents } from '../openapi/documents.ts'
import { redoclyProblems, spectralProblems, versions } from '../openapi/linters.ts'
import { judge, type Referee } from './referee.ts'

const NOTHING = 'no problem'

/** Returns a linter of OpenAPI documents as a referee. */
function linter(
  name: string,
  module: string,
  source: string,
  problemsOf: (document: object) => Promise<string[]>,
): Referee {
  return {
    name,
    version: versions[module] ?? 'unknown',
    source,
    judges: 'OpenAPI documents of applications',
    run: () =>
      judge(
        documents.map(([what, document]) => ({ name: what, input: document, allowed: [NOTHING] })),
        async (document) => (await problemsOf(await document())).join('; ') || NOTHING,
      ),
  }
}

export const TOOLS: readonly Referee[] = [
  linter(
    'Redocly, rules `recommended`',
    '@redocly/openapi-core',
    'https://redocly.com/docs/cli/rules/recommended',
    redoclyProblems,
  ),
  linter(
    'Spectral, rules `oas`',
    '@stoplight/spectral-rulesets',
    'https://github.com/stoplightio/spectral/blob/develop/docs/reference/openapi-rules.md',
    spectralProblems,
  ),
]
