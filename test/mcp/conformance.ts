/** The official conformance suite as a referee. It is installed in `packages/` only. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from 'propylon/node'
import { judge, type Referee } from '../scoreboard/referee.ts'
import application from './conformance-app.ts'
import { FOLDER as folder } from './packages.ts'

/** The exact versions of the packages. */
const { dependencies }: { dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(folder, 'package.json'), 'utf8'),
)

const PASSES = 'passes'

const NO_REQUESTS =
  'The server sends no requests to the client (sampling, elicitation, roots): these need a session in one process.'
const NO_INPUT = 'No interface of actions asks the client for input: HTTP has none.'

/** Reasons for scenarios that fail. */
const REASONS: Readonly<Record<string, string>> = {
  'logging-set-level':
    'A level for later requests needs a session. Version 2026-07-28 has a level for each request.',
  'tools-call-with-logging':
    'Log messages are sent if the request asks for them, which it can since version 2026-07-28.',
  'tools-call-sampling': NO_REQUESTS,
  'tools-call-elicitation': NO_REQUESTS,
  'elicitation-sep1034-defaults': NO_REQUESTS,
  'elicitation-sep1330-enums': NO_REQUESTS,
  'resources-subscribe':
    'There are no notifications of changes: they need a session or an open stream in one process.',
  'resources-unsubscribe': 'There are no notifications of changes.',
  'server-stateless': 'The two checks call a tool that needs a capability of the client. No tool needs one.',
  'input-required-result-basic-elicitation': NO_INPUT,
  'input-required-result-basic-sampling': NO_INPUT,
  'input-required-result-basic-list-roots': NO_INPUT,
  'input-required-result-request-state': NO_INPUT,
  'input-required-result-multiple-input-requests': NO_INPUT,
  'input-required-result-multi-round': NO_INPUT,
  'input-required-result-non-tool-request': NO_INPUT,
  'input-required-result-result-type': NO_INPUT,
  'input-required-result-tampered-state': NO_INPUT,
  'input-required-result-capability-check': NO_INPUT,
}

/** Checks that fail in scenarios of which others must pass. */
const FAILED_CHECKS: Readonly<Record<string, string>> = {
  'server-stateless': 'sep-2575-server-rejects-undeclared-capability, sep-2575-missing-capability-http-400',
}

/** Scenarios of the suite that are not required yet, and pass. */
const FURTHER: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': ['server-session-lifecycle'],
  '2026-07-28': ['http-header-validation', 'http-custom-header-server-validation'],
}

function outcomeOf(failed: string | undefined): string {
  return failed === undefined ? PASSES : `fails: ${failed}`
}

/** Returns the scenarios that a version requires of servers. */
function requiredScenarios(version: string): string[] {
  const file = join(folder, `node_modules/@modelcontextprotocol/conformance/requirements/${version}.yaml`)
  const [, list = ''] = /^server:\n((?: {2}- .*\n)+)/m.exec(readFileSync(file, 'utf8')) ?? []
  return [...list.matchAll(/- (\S+)/g)].map(([, name = '']) => name)
}

/** Runs the suite, and returns the scenarios in which a check fails, with the names of these checks. */
async function failedScenarios(version: string): Promise<ReadonlyMap<string, string>> {
  const server = await serve(application)
  const output = mkdtempSync(join(tmpdir(), 'propylon-mcp-'))
  try {
    const url = `http://localhost:${server.port}/mcp`
    await run(['server', '--url', url, '--requirements', version, '--output-dir', output])
    const results = readdirSync(output)
    if (results.length === 0) throw new Error('The suite ran no scenario.')
    const failed = new Map<string, string>()
    for (const name of results) {
      const [, scenario = ''] = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name) ?? []
      const file = join(output, name, 'checks.json')
      const checks: { id: string; status: string }[] = JSON.parse(readFileSync(file, 'utf8'))
      const ids = checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id)
      if (ids.length > 0) failed.set(scenario, ids.join(', '))
    }
    return failed
  } finally {
    rmSync(output, { recursive: true, force: true })
    await server.close()
  }
}

/** Runs the command of the suite. It ends with 1 if a scenario fails. */
function run(words: readonly string[]): Promise<void> {
  const command = join(folder, 'node_modules/.bin/conformance')
  const child = spawn(command, words, { stdio: ['ignore', 'ignore', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0 || code === 1 ? resolve() : reject(new Error(`conformance ended with ${code}`)),
    )
  })
}

export const CONFORMANCE: readonly Referee[] = ['2026-07-28', '2025-11-25'].map((version) => ({
  name: `MCP conformance, ${version}`,
  version: dependencies['@modelcontextprotocol/conformance'] ?? 'unknown',
  source: 'https://github.com/modelcontextprotocol/conformance',
  judges: `Model Context Protocol ${version}`,
  async run() {
    const failed = await failedScenarios(version)
    const names = [...requiredScenarios(version), ...(FURTHER[version] ?? [])]
    const isKnown = (name: string) =>
      name in REASONS && failed.has(name) && [undefined, failed.get(name)].includes(FAILED_CHECKS[name])
    return judge(
      names.map((name) => ({
        name,
        input: name,
        allowed: [PASSES],
        ...(isKnown(name) && { reason: REASONS[name] }),
      })),
      (name) => outcomeOf(failed.get(name)),
    )
  },
}))
