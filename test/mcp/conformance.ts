/** Runs the official conformance suite, which is installed in `packages/` only. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from 'propylon/node'
import type { Case } from '../conformance/cases.ts'
import { installed } from '../packages/packages.ts'
import application from './conformance-app.ts'
import service from './conformance-service.ts'

const PASSES = 'passes'

const NO_REQUESTS =
  'The server sends no requests to the client (sampling, elicitation, roots): these need a session in one process.'
const NO_INPUT = 'No interface of actions asks the client for input: HTTP has none.'

/** Reasons for scenarios that fail. */
const REASONS: Readonly<Record<string, string>> = {
  'logging-set-level': 'A level for later requests needs a session. Version 2026-07-28 has a level for each request.',
  'tools-call-with-logging':
    'Log messages are sent if the request asks for them, which it can since version 2026-07-28.',
  'tools-call-sampling': NO_REQUESTS,
  'tools-call-elicitation': NO_REQUESTS,
  'elicitation-sep1034-defaults': NO_REQUESTS,
  'elicitation-sep1330-enums': NO_REQUESTS,
  'resources-subscribe': 'There are no notifications of changes: they need a session or an open stream in one process.',
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
  caching:
    'sep-2549-prompts-list-caching-hints, sep-2549-resources-list-caching-hints, sep-2549-resources-templates-list-caching-hints',
}

/** Checks that only warn in scenarios of which no check fails. */
const WARNINGS: Readonly<Record<string, string>> = {
  'input-required-result-missing-input-response': 'sep-2322-missing-response-rerequests',
  'input-required-result-ignore-extra-params': 'sep-2322-ignore-unexpected-params',
  'server-sse-multiple-streams': 'server-sse-multiple-streams-session',
}

/** Scenarios of the suite that are not required yet, and pass. */
const FURTHER: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [],
  '2026-07-28': ['http-header-validation', 'http-custom-header-server-validation'],
}

interface Check {
  readonly id: string
  readonly status: string
}

/** Returns the outcome of a scenario. It passes only if one of its own checks does: each has a check of the messages as well. */
function outcomeOf(checks: readonly Check[]): string {
  const idsOf = (status: string) => checks.filter((check) => check.status === status).map(({ id }) => id)
  const [failed, warned] = [idsOf('FAILURE'), idsOf('WARNING')]
  if (failed.length > 0) return `fails: ${failed.join(', ')}`
  if (warned.length > 0) return `warns: ${warned.join(', ')}`
  return idsOf('SUCCESS').some((id) => !id.startsWith('wire-schema-')) ? PASSES : 'does not apply'
}

/** Returns the scenarios that a version requires of servers. */
function requiredScenarios(version: string): string[] {
  const file = installed('mcp', `@modelcontextprotocol/conformance/requirements/${version}.yaml`)
  const [, list = ''] = /^server:\n((?: {2}- .*\n)+)/m.exec(readFileSync(file, 'utf8')) ?? []
  return [...list.matchAll(/- (\S+)/g)].map(([, name = '']) => name)
}

/** A server that the suite judges. */
interface Judged {
  readonly application: Parameters<typeof serve>[0]
  /** The path of the server of the protocol. */
  readonly path: string
  /** Beginning of the name of the test. */
  readonly title: string
  /** Reasons for further scenarios that fail. */
  readonly reasons: Readonly<Record<string, string>>
  /** Checks of further scenarios that only warn. */
  readonly warnings: Readonly<Record<string, string>>
}

/** Runs the suite, and returns the outcome of each scenario. */
async function outcomes(version: string, { application, path }: Judged): Promise<ReadonlyMap<string, string>> {
  const server = await serve(application)
  const output = mkdtempSync(join(tmpdir(), 'propylon-mcp-'))
  try {
    const url = `http://localhost:${server.port}${path}`
    await run(['server', '--url', url, '--requirements', version, '--output-dir', output])
    const results = readdirSync(output)
    if (results.length === 0) throw new Error('The suite ran no scenario.')
    return new Map(
      results.map((name) => {
        const [, scenario = ''] = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name) ?? []
        const checks: Check[] = JSON.parse(readFileSync(join(output, name, 'checks.json'), 'utf8'))
        return [scenario, outcomeOf(checks)]
      }),
    )
  } finally {
    rmSync(output, { recursive: true, force: true })
    await server.close()
  }
}

/** Runs the command of the suite. It ends with 1 if a scenario fails. */
function run(words: readonly string[]): Promise<void> {
  const command = installed('mcp', '.bin/conformance')
  const child = spawn(command, words, { stdio: ['ignore', 'ignore', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0 || code === 1 ? resolve() : reject(new Error(`conformance ended with ${code}`)),
    )
  })
}

const TOOLS_ONLY = 'The methods of a service are tools. It has no resources, prompts and completions.'

const OF_SERVICES: Readonly<Record<string, string>> = {
  'completion-complete': TOOLS_ONLY,
  'resources-list': TOOLS_ONLY,
  'resources-read-text': TOOLS_ONLY,
  'resources-read-binary': TOOLS_ONLY,
  'resources-templates-read': TOOLS_ONLY,
  'prompts-list': TOOLS_ONLY,
  'prompts-get-simple': TOOLS_ONLY,
  'prompts-get-with-args': TOOLS_ONLY,
  'prompts-get-embedded-resource': TOOLS_ONLY,
  'prompts-get-with-image': TOOLS_ONLY,
  caching: TOOLS_ONLY,
}

const SERVERS: readonly Judged[] = [
  { application, path: '/mcp', title: 'MCP conformance', reasons: {}, warnings: {} },
  {
    application: service,
    path: '/test/mcp',
    title: 'MCP conformance of a service',
    reasons: OF_SERVICES,
    warnings: { 'sep-2164-resource-not-found': 'sep-2164-error-code, sep-2164-data-uri' },
  },
]

/** The suite against a server, for a version of the protocol. */
export interface Conformance {
  readonly name: string
  /** Runs the suite. The input of a case is its outcome. */
  cases(): Promise<readonly Case<string>[]>
}

export const CONFORMANCE: readonly Conformance[] = SERVERS.flatMap((server) =>
  ['2026-07-28', '2025-11-25'].map((version) => ({
    name: `${server.title}, ${version}`,
    cases: () => casesOf(server, version),
  })),
)

async function casesOf(server: Judged, version: string): Promise<Case<string>[]> {
  const found = await outcomes(version, server)
  const names = [...requiredScenarios(version), ...(FURTHER[version] ?? [])]
  return names.map((name) => {
    const outcome = found.get(name) ?? 'does not run'
    const warning = server.warnings[name] ?? WARNINGS[name]
    const checks = FAILED_CHECKS[name]
    const isKnown = checks === undefined ? outcome.startsWith('fails: ') : outcome === `fails: ${checks}`
    return {
      name,
      input: outcome,
      allowed: warning === undefined ? [PASSES] : [PASSES, `warns: ${warning}`],
      reason: isKnown ? (server.reasons[name] ?? REASONS[name]) : undefined,
    }
  })
}
