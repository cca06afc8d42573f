/** Sends spellings of guarded paths to a server and looks for secrets in its responses. */

import { Random } from './random.ts'
import { RawClient } from './raw-requests.ts'
import { spelledRequest, type Target } from './requests.ts'

/** A server with guarded paths. */
export interface Site {
  readonly port: number
  /** Paths without which no secret can be seen. */
  readonly targets: readonly Target[]
  /** Text that only guarded responses have. */
  readonly secret: string
}

/** Result of {@link attack}. */
export interface Findings {
  /** Number of different requests that were sent. */
  readonly sent: number
  /** Number of responses by status. 0 counts connections that were closed without one. */
  readonly statuses: Readonly<Record<string, number>>
  /** Requests to which the secret was shown, as Latin-1. */
  readonly shown: readonly string[]
}

/** Sends `count` different requests over several connections. The same seed sends the same requests. */
export async function attack(site: Site, { count = 3000, seed = 1, connections = 8 } = {}): Promise<Findings> {
  const random = new Random(seed)
  const known = new Set<string>()
  const statuses: Record<string, number> = {}
  const shown: string[] = []
  const next = (): string | undefined => {
    while (known.size < count) {
      const bytes = spelledRequest(random.of(site.targets), random)
      if (!known.has(bytes)) {
        known.add(bytes)
        return bytes
      }
    }
    return undefined
  }
  const run = async (): Promise<void> => {
    const client = new RawClient(site.port)
    for (let bytes = next(); bytes !== undefined; bytes = next()) {
      const response = await client.send(bytes)
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(response)?.[1] ?? '0'
      statuses[status] = (statuses[status] ?? 0) + 1
      if (response.includes(site.secret)) shown.push(bytes)
    }
    client.close()
  }
  await Promise.all(Array.from({ length: connections }, run))
  return { sent: known.size, statuses, shown }
}
