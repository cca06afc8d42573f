/**
 * `propylon serve`: serves the project.
 *
 * @module
 */

import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import type { Command, OptionSpec, ParsedArguments } from '../../../base/command-line/command.ts'
import { quoted, UsageError } from '../../../base/command-line/command-errors.ts'
import { print } from '../../../base/command-line/terminal.ts'
import type { AddressOptions, ServeOptions } from '../../../wsgi/node/index.ts'
import { passedSocket } from '../../../wsgi/node/listen.ts'
import { superviseWorkers } from '../../../wsgi/node/workers.ts'
import { trustedProxies } from '../../../wsgi/proxy/trusted-proxies.ts'
import { readEnvFile, setVariables } from '../env-file.ts'
import { choiceOf, millisecondsOf, wholeNumber } from '../option-values.ts'
import { findProject } from '../project.ts'
import type { ServeSettings } from '../server.ts'

/** The limits of `serve()` that `propylon serve` takes as options, such as `--max-delay`, with their summaries. */
const LIMITS = {
  maxBufferedBytes: 'Memory of each process for bodies; 503 beyond (default: 134217728)',
  maxRequests: 'Waiting requests of each process; 503 beyond (default: 10000)',
  maxConnections: 'Connections of each process; closed beyond (default: 20000)',
  sendTimeout: 'Pause of a client that does not read; cut beyond (default: 120)',
  maxDelay: 'Time without a pause of the loop; 503 beyond (default: any)',
  bodyTimeout: 'Pause of a client within a body; 408 beyond (default: 60)',
  headersTimeout: 'Time to receive a head; 408 beyond (default: 60)',
  requestTimeout: 'Time to receive a whole request; 408 beyond (default: 0, any)',
  keepAliveTimeout: 'Time to wait for another request (default: 5; behind proxies 75)',
  drainTimeout: 'Time to finish requests at the end (default: 7)',
  shutdownDelay: 'Time to accept requests after SIGTERM (default: 1)',
} as const satisfies { readonly [Name in keyof ServeOptions]?: string }

/** Units of the limits that are counts. All others are times. */
const UNITS: Readonly<Record<string, string>> = {
  maxBufferedBytes: 'bytes',
  maxRequests: 'requests',
  maxConnections: 'connections',
}

/** Limits of `serve()`. One that is not given has the default of `serve()`. */
type ServeLimits = { readonly [Name in keyof typeof LIMITS]?: number }

/** The options, for the table of the command. */
const limitOptions: Readonly<Record<string, OptionSpec>> = Object.fromEntries(
  Object.entries(LIMITS).map(([limit, summary]) => [
    optionOf(limit),
    { value: limit in UNITS ? 'N' : 'SECONDS', summary },
  ]),
)

/** `propylon serve` */
export const serve: Command = {
  name: 'serve',
  summary: 'Serve the application',
  arguments: [],
  options: {
    port: { short: 'p', value: 'PORT', summary: 'The port; 0 for any free one (default: $PORT or 5000)' },
    host: { value: 'HOST', summary: 'The address to listen at (default: $HOST or 127.0.0.1)' },
    listen: { value: 'unix:PATH', summary: 'A unix socket to listen at, instead of a port' },
    workers: { short: 'w', value: 'N', summary: 'Number of processes; auto for one per core' },
    'trust-proxy': { value: 'LIST', summary: 'Proxies whose forwarding headers are used: 10.0.0.0/8,::1,unix' },
    'proxy-headers': { value: 'FAMILY', summary: 'What the proxies write: x-forwarded (default) or forwarded' },
    ...limitOptions,
    eager: { summary: 'Load all controllers at start instead of on first use' },
    'unhandled-rejections': { value: 'MODE', summary: 'log (default): report them and go on; throw: end the process' },
    reload: { summary: 'For development: debug pages, and changed files take effect at once' },
    'env-file': { value: 'FILE', summary: "Variables that are not set already (default: the project's .env)" },
    client: { value: 'FILE', summary: 'With --reload: the client (propylon client) to keep up to date' },
    'no-live': { summary: 'With --reload: open pages do not reload, as with several workers' },
  },
  details: [
    'SIGTERM finishes the requests in flight and ends with status 0. SIGHUP looks for new controllers; with\n--workers it restarts the workers one by one.\nNODE_ENV is production unless it is set, and development with --reload.',
  ],
  examples: [
    'propylon serve --host 0.0.0.0 --port 8080 --workers auto',
    'propylon serve --reload',
    'propylon serve --reload --client web/api.ts',
  ],
  importsProject: 'always',
  async run(parsed, context) {
    const project = findProject(context.cwd)
    const variables = readEnvFile(project, parsed.value('env-file'), context.cwd)
    const settings = settingsOf(parsed, { ...variables, ...context.env })
    const count = workersOf(parsed)
    if (cluster.isWorker || count === undefined) {
      setVariables(variables)
      process.env.NODE_ENV ??= parsed.flag('reload') ? 'development' : 'production'
      const { serveHere } = await import('../server.ts')
      return serveHere(project, settings, context)
    }
    const workers = count === 1 ? '1 worker' : `${count} workers`
    return superviseWorkers(count, settings.options, (url) => print(context, `Serving at ${url} with ${workers}`))
  },
}

/** @throws UsageError - an option or variable is malformed, or options exclude each other. */
function settingsOf(parsed: ParsedArguments, env: NodeJS.ProcessEnv): ServeSettings {
  const settings = {
    options: {
      ...addressOf(parsed, env),
      ...limitsOf(parsed),
      trustProxy: proxiesOf(parsed.value('trust-proxy')),
      proxyHeaders: choiceOf(parsed, 'proxy-headers', ['x-forwarded', 'forwarded']) ?? 'x-forwarded',
      unhandledRejections: choiceOf(parsed, 'unhandled-rejections', ['log', 'throw']) ?? 'log',
    },
    eager: parsed.flag('eager'),
    // Each worker has its own names for the states of the files, so pages served by several would reload forever.
    reload: parsed.flag('reload') && {
      live: !parsed.flag('no-live') && (workersOf(parsed) ?? 1) === 1,
      client: parsed.value('client'),
    },
  }
  if (parsed.value('client') !== undefined) {
    if (settings.reload === false) throw new UsageError('--client needs --reload', 'add --reload')
    if (workersOf(parsed) !== undefined) {
      throw new UsageError('--client and --workers exclude each other', 'omit --workers in development')
    }
  }
  if (settings.reload !== false && settings.eager) {
    throw new UsageError('--eager and --reload exclude each other', 'omit --eager in development')
  }
  return settings
}

/** Returns the address: from the options, else the socket that systemd has opened, else from the environment. */
function addressOf(parsed: ParsedArguments, env: NodeJS.ProcessEnv): AddressOptions {
  const port = parsed.value('port')
  const host = parsed.value('host')
  const listen = parsed.value('listen')
  const hasPort = port !== undefined || host !== undefined
  if (listen !== undefined) {
    if (hasPort) throw new UsageError('--listen excludes --port and --host', 'write one or the other')
    const path = /^unix:(.+)$/s.exec(listen)?.[1]
    if (path === undefined) {
      throw new UsageError(`${quoted(listen)} is not a socket`, 'write unix: and a path, such as unix:/run/app.sock')
    }
    return { path: resolve(path) }
  }
  const fd = hasPort ? undefined : passedSocket()
  if (fd !== undefined) return { fd }
  // An empty variable counts as unset: an empty host would listen on every interface.
  return {
    port: wholeNumber(port ?? (env.PORT || '5000'), 'a port', 0, 65_535),
    host: host ?? (env.HOST || '127.0.0.1'),
  }
}

/** Returns the entries of `--trust-proxy`, none without it. */
function proxiesOf(list: string | undefined): readonly string[] {
  const entries = list?.split(',').map((entry) => entry.trim()) ?? []
  try {
    trustedProxies(entries)
  } catch {
    throw new UsageError(
      `--trust-proxy is ${quoted(list ?? '')}`,
      "write addresses, ranges and 'unix' with commas between them, such as 127.0.0.1,10.0.0.0/8,unix",
    )
  }
  return entries
}

function workersOf(parsed: ParsedArguments): number | undefined {
  const text = parsed.value('workers')
  if (text === undefined) return undefined
  return text === 'auto' ? availableParallelism() : wholeNumber(text, "'auto' or a number of workers", 1, 1024)
}

/** @throws UsageError - the value of an option is not a number. */
function limitsOf(parsed: ParsedArguments): ServeLimits {
  return Object.fromEntries(
    Object.keys(LIMITS).flatMap((limit) => {
      const text = parsed.value(optionOf(limit))
      if (text === undefined) return []
      const unit = UNITS[limit]
      return [[limit, unit === undefined ? millisecondsOf(text) : wholeNumber(text, `a number of ${unit}`)]]
    }),
  )
}

function optionOf(limit: string): string {
  return limit.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
