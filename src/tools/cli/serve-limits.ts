import type { OptionSpec, ParsedArguments } from '../../base/command-line/command.ts'
import type { ServeOptions } from '../../wsgi/node/index.ts'
import { millisecondsOf, wholeNumber } from './option-values.ts'

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
  keepAliveTimeout: 'Time to wait for another request (default: 5)',
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
export type ServeLimits = { readonly [Name in keyof typeof LIMITS]?: number }

/** The options, for the table of the command. */
export const limitOptions: Readonly<Record<string, OptionSpec>> = Object.fromEntries(
  Object.entries(LIMITS).map(([limit, summary]) => [
    optionOf(limit),
    { value: limit in UNITS ? 'N' : 'SECONDS', summary },
  ]),
)

/** @throws UsageError - the value of an option is not a number. */
export function limitsOf(parsed: ParsedArguments): ServeLimits {
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
