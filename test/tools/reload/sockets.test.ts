import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { framework, Project } from './project.ts'

const app = (text: string, sockets = `sockets: { '/chat': { open: (peer) => peer.send('${text}') } },`) =>
  `import { FrameworkApp, Mapper } from '${framework}'
export default new FrameworkApp({ map: new Mapper(), controllers: {}, ${sockets} debug: true, logger: { info() {}, warn() {}, error() {} } })
`

/** Opens a WebSocket and resolves to its first message, or to the event `error`. */
async function first(project: Project): Promise<unknown> {
  const socket = new WebSocket(`${project.url.replace('http', 'ws')}/chat`)
  const failed = once(socket, 'error').then(() => 'refused')
  const message = await Promise.race([once(socket, 'message').then(([{ data }]) => data), failed])
  socket.close()
  return message
}

describe('a WebSocket of a reloading application', () => {
  it('is opened by the current code', async () => {
    await using project = await Project.create()
    await project.write({ 'app.ts': app('', '') })
    await project.start({ live: true })
    assert.equal(await first(project), 'refused')
    for (const text of ['one', 'two']) {
      await project.write({ 'app.ts': app(text) })
      assert.equal(await first(project), text)
    }
  })
})
