// Tells the measuring process where a server listens, and ends the server with it.

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
 * Lets a server of node:http listen.
 *
 * @param {import('node:http').Server} server
 */
export function listen(server) {
  server.listen(0, '127.0.0.1', 1024, () => ready(server.address().port))
}
