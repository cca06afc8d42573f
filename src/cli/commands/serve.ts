import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import type { Command, Invocation } from '../command.ts'
import { findProject } from '../project.ts'
import { quoted, Refusal } from '../refusal.ts'

/** `propylon serve` */
export const serve: Command = {
  name: 'serve',
  summary: 'Serve the application',
  arguments: [],
  options: {
    port: {
      type: 'string',
      short: 'p',
      value: 'PORT',
      summary: 'The port; 0 for any free one (default: $PORT or 5000)',
    },
    host: {
      type: 'string',
      value: 'HOST',
      summary: 'The address to listen at (default: $HOST or 127.0.0.1)',
    },
    workers: {
      type: 'string',
      short: 'w',
      value: 'N',
      summary: 'How many processes; auto for one each core',
    },
    eager: {
      type: 'boolean',
      summary: 'Load all controllers at start rather than when they are first asked for',
    },
    'unhandled-rejections': {
      type: 'string',
      value: 'MODE',
      summary: 'log (default): report them and go on; throw: end the process',
    },
    reload: { type: 'boolean', summary: 'Develop: debug pages, and changed files take effect at once' },
    'no-live': {
      type: 'boolean',
      summary: 'With --reload: open pages do not reload themselves, as with several workers',
    },
  },
  details: [
    'SIGTERM finishes the requests in flight and ends with status 0; SIGHUP looks for new controllers.\nNODE_ENV is production unless it is set, and development with --reload.',
  ],
  examples: ['propylon serve --host 0.0.0.0 --port 8080 --workers auto', 'propylon serve --reload'],
  importsProject: 'always',
  async run(invocation, surroundings) {
    const { env } = surroundings
    const count = workersOf(invocation)
    const settings = {
      // A variable set to nothing counts as not set: the empty host would mean every interface.
      port: portOf(invocation.value('port') ?? (env.PORT || '5000')),
      host: invocation.value('host') ?? (env.HOST || '127.0.0.1'),
      eager: invocation.flag('eager'),
      unhandledRejections: rejectionsOf(invocation.value('unhandled-rejections') ?? 'log'),
      // Each worker names the states of the files for itself: a page of one that hears from another would reload for ever.
      reload: invocation.flag('reload') && { live: !invocation.flag('no-live') && (count ?? 1) === 1 },
    }
    if (settings.reload !== false && settings.eager) {
      throw new Refusal('--eager and --reload exclude each other', 'leave --eager out while you develop')
    }
    const project = findProject(surroundings.cwd)
    process.env.NODE_ENV ??= invocation.flag('reload') ? 'development' : 'production'
    if (cluster.isWorker || count === undefined) {
      const { serveHere } = await import('../serving.ts')
      return serveHere(project, settings, surroundings)
    }
    const { WorkerPool } = await import('../workers.ts')
    return new WorkerPool(count, surroundings).run()
  },
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new Refusal(`${quoted(text)} is not a port`, 'write a number from 0 to 65535')
}

function rejectionsOf(text: string): 'log' | 'throw' {
  if (text === 'log' || text === 'throw') return text
  throw new Refusal(`--unhandled-rejections is ${quoted(text)}`, "write 'log' or 'throw'")
}

function workersOf(invocation: Invocation): number | undefined {
  const text = invocation.value('workers')
  if (text === undefined) return undefined
  if (text === 'auto') return availableParallelism()
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= 1024) return count
  throw new Refusal(`${quoted(text)} is no number of workers`, "write a number from 1 to 1024, or 'auto'")
}
