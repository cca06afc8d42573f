import type { OptionSpec, ParsedArguments } from '../../base/command-line/command.ts'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import type { ServeOptions } from '../../wsgi/node/index.ts'

type LimitName =
  | 'maxBufferedBytes'
  | 'maxRequests'
  | 'maxDelay'
  | 'maxConnections'
  | 'sendTimeout'
  | 'bodyTimeout'
  | 'headersTimeout'
  | 'keepAliveTimeout'
  | 'requestTimeout'
  | 'drainTimeout'
  | 'shutdownDelay'

/** Limits of `serve()` that `propylon serve` takes as options. One that is not given has the default of `serve()`. */
export type ServeLimits = Pick<ServeOptions, LimitName>

interface LimitOption {
  readonly option: string
  readonly limit: LimitName
  readonly unit: 'bytes' | 'connections' | 'requests' | 'seconds'
  readonly summary: string
}

const LIMITS: readonly LimitOption[] = [
  {
    option: 'max-buffered-bytes',
    limit: 'maxBufferedBytes',
    unit: 'bytes',
    summary: 'Memory of each process for bodies; 503 beyond (default: 134217728)',
  },
  {
    option: 'max-requests',
    limit: 'maxRequests',
    unit: 'requests',
    summary: 'Waiting requests of each process; 503 beyond (default: 10000)',
  },
  {
    option: 'max-connections',
    limit: 'maxConnections',
    unit: 'connections',
    summary: 'Connections of each process; closed beyond (default: 20000)',
  },
  {
    option: 'send-timeout',
    limit: 'sendTimeout',
    unit: 'seconds',
    summary: 'Pause of a client that does not read; cut beyond (default: 120)',
  },
  {
    option: 'max-delay',
    limit: 'maxDelay',
    unit: 'seconds',
    summary: 'Time without a pause of the loop; 503 beyond (default: any)',
  },
  {
    option: 'body-timeout',
    limit: 'bodyTimeout',
    unit: 'seconds',
    summary: 'Pause of a client within a body; 408 beyond (default: 60)',
  },
  {
    option: 'headers-timeout',
    limit: 'headersTimeout',
    unit: 'seconds',
    summary: 'Time to receive a head; 408 beyond (default: 60)',
  },
  {
    option: 'request-timeout',
    limit: 'requestTimeout',
    unit: 'seconds',
    summary: 'Time to receive a whole request; 408 beyond (default: 0, any)',
  },
  {
    option: 'keep-alive-timeout',
    limit: 'keepAliveTimeout',
    unit: 'seconds',
    summary: 'Time to wait for another request (default: 5)',
  },
  {
    option: 'drain-timeout',
    limit: 'drainTimeout',
    unit: 'seconds',
    summary: 'Time to finish requests at the end (default: 7)',
  },
  {
    option: 'shutdown-delay',
    limit: 'shutdownDelay',
    unit: 'seconds',
    summary: 'Time to accept requests after SIGTERM (default: 1)',
  },
]

/** The options, for the table of the command. */
export const limitOptions: Readonly<Record<string, OptionSpec>> = Object.fromEntries(
  LIMITS.map(({ option, unit, summary }) => [
    option,
    { type: 'string', value: unit === 'seconds' ? 'SECONDS' : 'N', summary },
  ]),
)

/** @throws UsageError - the value of an option is not a number. */
export function limitsOf(parsed: ParsedArguments): ServeLimits {
  const limits: ServeLimits = {}
  for (const { option, limit, unit } of LIMITS) {
    const text = parsed.value(option)
    if (text !== undefined) limits[limit] = unit === 'seconds' ? millisecondsOf(text) : countOf(text, unit)
  }
  return limits
}

function countOf(text: string, unit: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UsageError(
    `${quoted(text)} is not a number of ${unit}`,
    'write a whole number, such as 134217728',
  )
}

export function millisecondsOf(text: string): number {
  if (/^\d{1,6}(?:\.\d{1,3})?$/.test(text)) return Math.round(Number(text) * 1000)
  throw new UsageError(`${quoted(text)} is not a number of seconds`, 'write a number, such as 60 or 0.5')
}
