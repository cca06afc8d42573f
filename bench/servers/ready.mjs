// Prints the port of a server for the measuring process, and exits when that process does.

/** Options of all servers of node:http, as `serve()` of Propylon has them: no stream events for a request without a body. */
export const SERVER_OPTIONS = { optimizeEmptyRequests: true }

/** @param {number} port */
export function ready(port) {
  console.log(`ready ${port}`)
  process.stdin.on('end', () => process.exit(0)).resume()
  if (process.env.BENCH_GC === undefined) return
  process.on('SIGUSR2', () => {
    if (globalThis.Bun !== undefined) globalThis.Bun.gc(true)
    else for (let times = 0; times < 3; times++) globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    console.log(`held ${heapUsed + external}`)
  })
}

/**
 * Starts a server of node:http on a free port.
 *
 * @param {import('node:http').Server} server
 */
export function listen(server) {
  server.listen(0, '127.0.0.1', 1024, () => ready(server.address().port))
}
