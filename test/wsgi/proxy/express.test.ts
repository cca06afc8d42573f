import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { oldApplication } from './old-application.ts'
import { probe } from './probes.ts'

probe('Express', async () => {
  const server = createServer(oldApplication()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has this address.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    hasChunks: true,
    isRaw: true,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
})
