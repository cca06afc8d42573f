/**
 * Addresses of servers: a port, a unix socket, or a socket that the parent process has opened.
 *
 * @module
 */
import cluster from 'node:cluster'
import { chmodSync, existsSync, lstatSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect, type ListenOptions } from 'node:net'
import { dirname } from 'node:path'

/** Options of `serve()` for the place where it listens. */
export interface AddressOptions {
  /** The port; 0, which is the default, takes a free one. */
  port?: number
  /** The address or name to listen on. `127.0.0.1` when absent: this machine only. */
  host?: string
  /**
   * Path of a unix socket to listen on, instead of a port. A socket that a dead server has left is replaced; any
   * other file is not. It is removed when the server closes.
   */
  path?: string
  /**
   * Permissions of the unix socket, for instance `0o660`. Default: the permissions of new files of the process
   * (umask).
   */
  mode?: number
  /** File descriptor of a listening socket that the process has inherited. */
  fd?: number
}

/** A checked address. */
export type Address =
  | { readonly kind: 'port'; readonly port: number; readonly host: string }
  | { readonly kind: 'path'; readonly path: string; readonly mode: number | undefined }
  | { readonly kind: 'fd'; readonly fd: number }

/** First file descriptor that systemd passes to a process: SD_LISTEN_FDS_START of sd_listen_fds(3). */
const FIRST_PASSED = 3

/**
 * Returns the address that the options name. Without any of them it is the socket with which systemd has started the
 * process (`LISTEN_FDS`, sd_listen_fds(3)), or else a free port.
 *
 * @throws TypeError - the options contradict each other.
 * @throws Error - several sockets were passed.
 */
export function addressOf({ port, host, path, mode, fd }: AddressOptions): Address {
  const hasPort = port !== undefined || host !== undefined
  if (Number(hasPort) + Number(path !== undefined) + Number(fd !== undefined) > 1) {
    throw new TypeError('serve() received several places to listen. Pass port and host, or path, or fd.')
  }
  if (mode !== undefined && path === undefined) {
    throw new TypeError('serve() received a mode without a path. It is for unix sockets.')
  }
  if (path === '') throw new TypeError('serve() received an empty path. Pass the path of a unix socket.')
  if (path !== undefined) return { kind: 'path', path, mode }
  const passed = fd ?? (hasPort ? undefined : passedSocket())
  if (passed !== undefined) return { kind: 'fd', fd: passed }
  return { kind: 'port', port: port ?? 0, host: host ?? '127.0.0.1' }
}

/**
 * Returns the file descriptor of the socket that systemd has passed to this process, or to the supervisor of this
 * worker.
 *
 * @throws Error - several sockets were passed.
 */
export function passedSocket(): number | undefined {
  const { LISTEN_PID: pid, LISTEN_FDS: count = '' } = process.env
  if (pid !== String(cluster.isWorker ? process.ppid : process.pid) || !/^[1-9]\d*$/.test(count)) {
    return undefined
  }
  if (count === '1') return FIRST_PASSED
  throw new Error(
    `The process was started with ${count} sockets (LISTEN_FDS), but a server listens on one. Configure a single ListenStream.`,
  )
}

/** @throws Error - the server cannot listen. Has the `code` of Node's error, which is its cause. */
export async function listen(server: Server, address: Address, backlog: number | undefined): Promise<void> {
  const options: ListenOptions = backlog === undefined ? {} : { backlog }
  try {
    if (address.kind === 'port') await listening(server, { ...options, port: address.port, host: address.host })
    else if (address.kind === 'fd') await listening(server, { ...options, fd: address.fd })
    else await listenOnPath(server, address, options)
  } catch (error) {
    throw error instanceof Error && 'code' in error ? listenError(error, address) : error
  }
}

async function listenOnPath(
  server: Server,
  { path, mode }: { path: string; mode: number | undefined },
  options: ListenOptions,
): Promise<void> {
  // Workers of node:cluster share one socket. One of them must not remove it while another begins to listen.
  if (cluster.isPrimary) await removeDeadSocket(path)
  await listening(server, { ...options, path })
  if (mode !== undefined) chmodSync(path, mode)
}

function listening(server: Server, options: ListenOptions & { fd?: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Removes a unix socket on which no process listens. Any other file is kept. */
export async function removeDeadSocket(path: string): Promise<void> {
  const file = lstatSync(path, { throwIfNoEntry: false })
  if (file?.isSocket() && (await isDead(path))) rmSync(path, { force: true })
}

function isDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.on('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
  })
}

// ------------------------------------------------------------ errors

type Reasons = Readonly<Record<string, string>>

const PORT_ERRORS: Reasons = {
  EADDRINUSE: 'it is in use: stop the other server, or choose another port',
  EACCES: 'this user may not: choose a port above 1023',
  EADDRNOTAVAIL: 'this machine has no such address: try 127.0.0.1, or 0.0.0.0 for all of its addresses',
  ENOTFOUND: 'no such host is known: try 127.0.0.1, or 0.0.0.0 for all addresses of this machine',
}

const PATH_ERRORS: Reasons = {
  EADDRINUSE: 'it is in use: stop the other server, or choose another path',
  EACCES: 'this user may not create it: check the permissions of its directory',
  EPERM: 'this user may not create it: check the permissions of its directory',
  ENOENT: 'its directory does not exist: create it first',
  ENOTDIR: 'its directory does not exist: create it first',
  EINVAL: 'the path is too long for a unix socket: use at most 100 bytes',
  ENAMETOOLONG: 'the path is too long for a unix socket: use at most 100 bytes',
}

const NO_SOCKET = 'it is not a socket that listens: open it in the process that starts this one'
const FD_ERRORS: Reasons = {
  EBADF: NO_SOCKET,
  EINVAL: NO_SOCKET,
  ENOTSOCK: NO_SOCKET,
  EEXIST: 'it is in use',
}

function listenError(error: Error & { code: unknown }, address: Address): Error {
  const { code } = error
  const why = reasonOf(String(code), address) ?? error.message
  return Object.assign(new Error(`Cannot listen on ${nameOf(address)}: ${why}.`, { cause: error }), { code })
}

function nameOf(address: Address): string {
  switch (address.kind) {
    case 'port':
      return `port ${address.port} of ${address.host}`
    case 'path':
      return `the unix socket ${address.path}`
    case 'fd':
      return `file descriptor ${address.fd}`
  }
}

function reasonOf(code: string, address: Address): string | undefined {
  if (address.kind === 'port') return PORT_ERRORS[code]
  if (address.kind === 'fd') return FD_ERRORS[code]
  const file = code === 'EADDRINUSE' ? lstatSync(address.path, { throwIfNoEntry: false }) : undefined
  // libuv reports a missing directory as EACCES.
  if (!existsSync(dirname(address.path))) return PATH_ERRORS.ENOENT
  if (file !== undefined && !file.isSocket()) {
    return 'it is a file of another kind: remove it, or choose another path'
  }
  return PATH_ERRORS[code]
}

// ------------------------------------------------------------ the address of a running server

/** The place where a server listens, for its handle. */
export interface Place {
  /**
   * `http://127.0.0.1:8080`, or `unix:/run/app.sock`. `fd:3` for a unix socket that was passed, whose path is not
   * known.
   */
  readonly url: string
  /** 0 for a unix socket. */
  readonly port: number
  /** `''` for a unix socket. */
  readonly host: string
  /** Undefined for a port. */
  readonly path: string | undefined
}

export function placeOf(server: Server, address: Address, scheme: 'http' | 'https'): Place {
  const bound = server.address()
  if (address.kind === 'path') return { url: `unix:${address.path}`, port: 0, host: '', path: address.path }
  if (bound === null || typeof bound === 'string') {
    const url = address.kind === 'fd' ? `fd:${address.fd}` : `unix:${bound}`
    return { url, port: 0, host: '', path: bound ?? undefined }
  }
  const host = address.kind === 'port' ? address.host : bound.address
  const { port } = bound
  return {
    url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    host,
    path: undefined,
  }
}
