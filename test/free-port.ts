import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Port from which on Linux chooses those of connections and of servers that listen at port 0. */
const FIRST_CHOSEN = 32_768

/**
 * Returns a port that nothing listens on, for a program that cannot choose one or that listens at it repeatedly. The
 * system gives it to no other process in the meantime.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, FIRST_CHOSEN)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
