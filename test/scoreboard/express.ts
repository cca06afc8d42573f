/** The acceptance tests of Express, with its application mounted in this framework. */
import { readFileSync } from 'node:fs'
import type { Express } from 'express'
import { FrameworkApp, Mapper } from 'propylon'
import { fromConnect, serve } from 'propylon/node'
import { type Received, type Sent, send } from './client.ts'
import { STEPS, type Step } from './express-cases.ts'
import { SITES } from './express-sites.ts'
import { withFiles } from './folder.ts'
import { judge, type Referee } from './referee.ts'

const FILES = { 'files/notes/groceries.txt': 'milk', 'files/amazing.txt': 'what an amazing download' }
const HOLDS = 'as expected'

/** The version that is installed. */
const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../../node_modules/express/package.json', import.meta.url), 'utf8'),
)

/** Returns an application that serves all paths with one of Express. */
function mounted(site: Express): FrameworkApp {
  return new FrameworkApp({
    map: new Mapper().connect('/{path_info:.*}', { controller: 'express' }),
    controllers: { express: fromConnect(site) },
  })
}

/** Returns {@link HOLDS}, or how a response differs. */
function outcomeOf({ status, body = [], fields = {} }: Step, response: Received): string {
  const text = response.body.toString()
  const lacks = body.find((part) => (part.startsWith('=') ? text !== part.slice(1) : !text.includes(part)))
  const other = Object.entries(fields).find(([name, value]) => {
    const actual = response.headers[name]
    return value === '*' ? actual === undefined : actual !== value
  })
  if (response.status === status && lacks === undefined && other === undefined) return HOLDS
  return `${response.status} ${other === undefined ? text.slice(0, 60) : `${other[0]}: ${response.headers[other[0]]}`}`
}

async function run(step: Step, folder: string, appOf: (site: Express) => FrameworkApp): Promise<string> {
  const site = SITES[step.site]
  if (site === undefined) throw new Error(`There is no site ${step.site}.`)
  const server = await serve(appOf(site(folder)))
  try {
    const before = step.before === undefined ? undefined : await send(server.port, step.before)
    const cookie = before?.cookies.map((each) => each.replace(/;.*/, '')).join('; ') ?? ''
    const headers = { ...step.request.headers, ...(cookie !== '' && { Cookie: cookie }) }
    return outcomeOf(step, await send(server.port, { ...step.request, headers }))
  } finally {
    await server.close()
  }
}

function nameOf({ site, request, before }: Step): string {
  const text = ({ method = 'GET', path, headers = {}, body = '' }: Sent) =>
    [method, path, headers.Accept ?? headers.Host ?? body].join(' ').trim()
  return `${site}: ${before === undefined ? '' : `${text(before)}, then `}${text(request)}`
}

export const express: Referee = {
  name: 'Express',
  version: `${version}, tests of 5.2.1 (a371447)`,
  source:
    'https://github.com/expressjs/express/tree/a3714473feb3d2908add734d340e7755fd85e0a3/test/acceptance',
  judges: '`fromConnect()`: its applications mounted in `FrameworkApp`',
  run: () =>
    withFiles(FILES, (folder) =>
      judge(
        STEPS.map((step) => ({ name: nameOf(step), input: step, allowed: [HOLDS] })),
        (step) => run(step, folder, mounted),
      ),
    ),
}
