/** The application of `site.ts` in other frameworks, in processes of their own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { withFiles } from './folder.ts'
import { FILES } from './site.ts'

export interface Peer {
  readonly name: string
  /** Packages and their versions. */
  readonly packages: readonly string[]
  /** Settings that differ from the defaults, and deviations from the way in which its documentation uses it. */
  readonly settings: string
  /** Referees of parts that it does not have. */
  readonly lacks?: readonly string[]
  /** Name of the file in `peers/`. */
  readonly file: string
}

/** The folder in which the packages are installed. */
export const PEERS_FOLDER = fileURLToPath(new URL('peers/', import.meta.url))

const { dependencies }: { dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(`${PEERS_FOLDER}package.json`, 'utf8'),
)

const versions = (...names: readonly string[]) => names.map((name) => `${name} ${dependencies[name]}`)

export const PEERS: readonly Peer[] = [
  {
    name: 'Express',
    file: 'express.mjs',
    packages: versions('express', 'compression', 'cors', 'multer'),
    settings: "`fallthrough: false` for files, `defParamCharset: 'utf8'` for forms",
  },
  {
    name: 'Fastify',
    file: 'fastify.mjs',
    packages: versions(
      'fastify',
      '@fastify/accepts',
      '@fastify/compress',
      '@fastify/cors',
      '@fastify/multipart',
      '@fastify/static',
    ),
    settings: "`dotfiles: 'ignore'` and `redirect: true` for files",
  },
  {
    name: 'Hono',
    file: 'hono.mjs',
    packages: versions('hono', '@hono/node-server'),
    settings: '`etag()` for files, and the first offer if the field for negotiation is absent',
  },
  {
    name: 'Nest',
    file: 'nest.mjs',
    packages: versions('@nestjs/core', '@nestjs/platform-express', 'compression'),
    settings: 'on Express, with the same settings',
  },
  {
    name: 'AdonisJS',
    file: 'adonis.mjs',
    packages: versions('@adonisjs/http-server', '@adonisjs/bodyparser', '@adonisjs/cors', '@adonisjs/static'),
    settings: 'the HTTP server without the application; values of forms are not trimmed',
    lacks: ['compression'],
  },
]

/** Calls a function with the port of a framework's server. */
export function withPeer<Result>({ file }: Peer, use: (port: number) => Promise<Result>): Promise<Result> {
  return withFiles(FILES, async (folder) => {
    const child = spawn(process.execPath, [`${PEERS_FOLDER}${file}`, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    try {
      const [line]: string[] = await Promise.race([
        once(createInterface({ input: child.stdout }), 'line'),
        once(child, 'exit').then(() => ['it ended']),
      ])
      const [, port] = /^ready (\d+)$/.exec(line ?? '') ?? []
      if (port === undefined) throw new Error(`${file} printed ${line} instead of its port.`)
      return await use(Number(port))
    } finally {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
  })
}
