// WebSockets without Propylon. The argument is the name of the server.
import { createServer } from 'node:http'
import { hooks } from './echo.mjs'
import { listen, ready } from './ready.mjs'

const servers = {
  async node() {
    const { default: crossws } = await import('crossws/adapters/node')
    const { handleUpgrade } = crossws({ hooks })
    const server = createServer((_req, res) => res.writeHead(426, { Upgrade: 'websocket' }).end())
    listen(server.on('upgrade', handleUpgrade))
  },

  async h3() {
    const [{ H3, defineWebSocketHandler, serve }, { plugin }] = await Promise.all([
      import('h3'),
      import('crossws/server'),
    ])
    const app = new H3().get('/echo', defineWebSocketHandler(hooks))
    const resolve = async (request) => (await app.fetch(request)).crossws
    const server = serve(app, {
      port: 0,
      hostname: '127.0.0.1',
      silent: true,
      plugins: [plugin({ resolve })],
    })
    await server.ready()
    ready(server.node.server.address().port)
  },
}

await servers[process.argv[2]]()
