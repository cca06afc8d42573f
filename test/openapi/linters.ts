/** The linters of OpenAPI documents. */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { requireOf } from '../packages/packages.ts'

/** The parts of `@redocly/openapi-core` that this file uses. */
interface Redocly {
  createConfig(config: object): Promise<unknown>
  lintFromString(options: object): Promise<{ ruleId: string; message: string; location: { pointer?: string }[] }[]>
}

/** The part of `@stoplight/spectral-core` that this file uses. */
interface SpectralCore {
  Spectral: new () => {
    setRuleset(ruleset: object): void
    run(document: object): Promise<{ code: string | number; message: string; path: (string | number)[] }[]>
  }
}

const require = requireOf('openapi')

/** The exact versions of the packages. */
export const { dependencies: versions }: { dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(new URL('../packages/openapi/package.json', import.meta.url), 'utf8'),
)

/** Returns what the rules `recommended` of Redocly find in a document. */
export async function redoclyProblems(document: object): Promise<string[]> {
  const redocly: Redocly = await import(pathToFileURL(require.resolve('@redocly/openapi-core')).href)
  const config = await redocly.createConfig({ extends: ['recommended'] })
  const source = JSON.stringify(document)
  const found = await redocly.lintFromString({ source, absoluteRef: '/openapi.json', config })
  return found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
}

/** Returns what the rules `oas` of Spectral find in a document. */
export async function spectralProblems(document: object): Promise<string[]> {
  const { Spectral }: SpectralCore = require('@stoplight/spectral-core')
  const { oas }: { oas: object } = require('@stoplight/spectral-rulesets')
  const spectral = new Spectral()
  spectral.setRuleset({ extends: [oas] })
  const found = await spectral.run(JSON.parse(JSON.stringify(document)))
  return found.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`)
}
