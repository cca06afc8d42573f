/** Clients that editors and assistants start: Gemini CLI, and `mcp-remote`, which connects programs that start a command. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type ServerHandle, serve } from 'propylon/node'
import { libraryApp } from '../app/mcp/library.ts'
import { installed } from '../packages/packages.ts'

const run = promisify(execFile)
const commandOf = (name: string) => installed('mcp', `.bin/${name}`)

let server: ServerHandle
let origin: string
/** The home directory of the clients, which write their settings there. */
let home: string
let env: NodeJS.ProcessEnv

before(async () => {
  server = await serve(libraryApp())
  origin = `http://localhost:${server.port}`
  home = mkdtempSync(join(tmpdir(), 'propylon-mcp-home-'))
  env = { ...process.env, HOME: home, MCP_REMOTE_CONFIG_DIR: home, GEMINI_CLI_TRUST_WORKSPACE: 'true' }
})

after(async () => {
  rmSync(home, { recursive: true, force: true })
  await server.close()
})

describe('Gemini CLI', () => {
  async function gemini(...words: string[]): Promise<string> {
    const { stdout, stderr } = await run(commandOf('gemini'), ['mcp', ...words], { cwd: home, env })
    return stdout + stderr
  }

  it('connects to the server that the guide adds, and not to a path without one', async () => {
    await gemini('add', '--scope', 'user', '--transport', 'http', 'library', `${origin}/mcp`)
    await gemini('add', '--scope', 'user', '--transport', 'http', 'nothing', `${origin}/nothing`)
    const list = await gemini('list')
    assert.match(list, /library: \S+ \(http\) - Connected/)
    assert.match(list, /nothing: \S+ \(http\) - Disconnected/)
  })
})

describe('mcp-remote', () => {
  let child: ChildProcess
  let lines: AsyncIterator<string>

  before(() => {
    child = spawn(commandOf('mcp-remote'), [`${origin}/mcp`], { env, stdio: ['pipe', 'pipe', 'ignore'] })
    assert.ok(child.stdout)
    lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  })
  after(() => child.kill())

  async function send(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: method, method, params })}\n`)
    const { value } = await lines.next()
    const { id, result } = JSON.parse(value)
    assert.equal(id, method)
    return result
  }

  it('passes calls on from standard input', async () => {
    const clientInfo = { name: 'editor', version: '1.0.0' }
    const { serverInfo } = await send('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo,
    })
    assert.deepEqual(serverInfo, { name: 'library', version: '2.0.0' })
    const { structuredContent } = await send('tools/call', { name: 'books_show', arguments: { id: 7 } })
    assert.deepEqual(structuredContent, { id: 7, title: 'Emma' })
    const { isError } = await send('tools/call', { name: 'books_show', arguments: { id: 'x' } })
    assert.equal(isError, true)
  })
})
