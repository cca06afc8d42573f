/** The servers that are measured, and the commands that start them. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export type RuntimeName = 'node' | 'bun' | 'deno' | 'python'

export interface Peer {
  readonly name: string
  /** Name in the tables. */
  readonly title: string
  readonly runtime: RuntimeName
  /** File in `servers/`, and its arguments. */
  readonly server: readonly string[]
  /** URL of the directory that has `servers/`. Default: this one. */
  readonly directory?: string
  /** Packages whose versions the report lists. */
  readonly packages: readonly string[]
  /** Names of the works that the server supports. Defaults to all. */
  readonly works?: readonly string[]
}

const XMLRPC = ['xmlrpc', 'xmlrpc-users'] as const
const WEB = ['hello', 'user-json', 'user-list', 'form', 'unrouted', 'missing', 'stream']

function onNode(name: string, title: string, file: string, ...packages: string[]): Peer {
  return { name, title, runtime: 'node', server: [file], packages, works: WEB }
}

function onWeb(runtime: 'bun' | 'deno', name: string, title: string, ...packages: string[]): Peer {
  const works: readonly string[] = name === 'propylon' ? [...WEB, ...XMLRPC] : WEB
  return { name: `${runtime}-${name}`, title, runtime, server: ['web.mjs', name], packages, works }
}

export const peers: readonly Peer[] = [
  onNode('node', 'bare node:http', 'node.mjs'),
  { ...onNode('propylon', 'Propylon', 'propylon.ts'), works: [...WEB, ...XMLRPC] },
  onNode('hono', 'Hono', 'hono.mjs', 'hono', '@hono/node-server', '@hono/zod-validator'),
  onNode('elysia', 'Elysia', 'elysia.mjs', 'elysia', '@elysiajs/node', 'srvx'),
  onNode('fastify', 'Fastify', 'fastify.mjs', 'fastify', 'fastify-type-provider-zod'),
  onNode('koa', 'Koa', 'koa.mjs', 'koa', '@koa/router'),
  onNode('express', 'Express', 'express.mjs', 'express'),
  { ...onNode('npm-xmlrpc', 'npm xmlrpc', 'xmlrpc.mjs', 'xmlrpc'), works: XMLRPC },
  {
    name: 'python-xmlrpc',
    title: 'Python xmlrpc.server',
    runtime: 'python',
    server: ['xmlrpc_server.py'],
    packages: [],
    works: XMLRPC,
  },
  onWeb('bun', 'bare', 'bare Bun.serve'),
  onWeb('bun', 'propylon', 'Propylon'),
  onWeb('bun', 'hono', 'Hono', 'hono'),
  onWeb('bun', 'elysia', 'Elysia', 'elysia'),
  onWeb('deno', 'bare', 'bare Deno.serve'),
  onWeb('deno', 'propylon', 'Propylon'),
  onWeb('deno', 'hono', 'Hono', 'hono'),
  onWeb('deno', 'elysia', 'Elysia', 'elysia'),
]

/** Returns the baseline of a peer, for works that do not name one. */
export function baselineOf(peer: Peer): string {
  return peer.runtime === 'node' || peer.runtime === 'python' ? 'node' : `${peer.runtime}-bare`
}

/**
 * Returns the bare server of a runtime, Propylon in each checkout, then other servers.
 *
 * @param directories - checkouts with `bench/servers/`.
 * @param others - names of servers, with commas between them.
 * @throws Error - a server is unknown.
 */
export function contendersOn(runtime: RuntimeName, directories: readonly string[], others: string): Peer[] {
  const own = peerNamed(runtime === 'node' ? 'propylon' : `${runtime}-propylon`)
  const checkouts = directories.map((directory) => ({
    ...own,
    title: directory,
    directory: `${pathToFileURL(resolve(directory, 'bench'))}/`,
  }))
  const names = others.split(',').filter((name) => name !== '')
  return [peerNamed(baselineOf(own)), ...checkouts, ...names.map(peerNamed)]
}

function peerNamed(name: string): Peer {
  const peer = peers.find((one) => one.name === name)
  if (peer === undefined) throw new Error(`There is no server ${name}`)
  return peer
}

const inProject = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** Paths of the runtimes. All servers on Node use the same binary. */
export const runtimes: Readonly<Record<RuntimeName, string>> = {
  node: inProject('node_modules/node/bin/node'),
  bun: inProject('test/packages/node_modules/bun/bin/bun.exe'),
  deno: inProject('test/packages/node_modules/deno/deno'),
  python: 'python3',
}

/** Returns the command that starts a peer's server. */
export function commandOf(peer: Peer): string[] {
  const [file = '', ...rest] = peer.server
  const path = fileURLToPath(new URL(`./servers/${file}`, peer.directory ?? import.meta.url))
  const gc = process.env.BENCH_GC === undefined ? [] : ['--expose-gc']
  switch (peer.runtime) {
    case 'node':
      return [runtimes.node, ...gc, path, ...rest]
    case 'deno':
      return [
        runtimes.deno,
        'run',
        '--allow-all',
        '--no-check',
        ...(gc.length > 0 ? ['--v8-flags=--expose-gc'] : []),
        path,
        ...rest,
      ]
    default:
      return [runtimes[peer.runtime], path, ...rest]
  }
}

/** Returns the installed versions of a peer's packages: `fastify 5.12.8`. */
export function versionsOf(peer: Peer): string {
  const names = peer.packages.map((name) => {
    const text = readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url), 'utf8')
    const { version }: { version: string } = JSON.parse(text)
    return `${name} ${version}`
  })
  return names.join(', ')
}
