/** A registry of npm on this machine, from which the packed packages of this repository are installed by their names. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { ROOT } from '../docs/blocks.ts'

/** The environment of a shell outside of this checkout. */
export const OUTSIDE = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_|^INIT_CWD$|^(HOST|PORT|SECRET)$/.test(name)),
)
OUTSIDE.PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !/node_modules/.test(folder))
  .join(delimiter)

/** A packed package. */
interface Packed {
  readonly manifest: { readonly name: string; readonly version: string }
  readonly tarball: string
}

/** A running registry. */
export interface Registry {
  readonly url: string
  close(): void
}

/** Packs the packages of this repository into a folder, and serves them. `dist/` must have been built. */
export async function registryOfPackages(folder: string): Promise<Registry> {
  const settings = execFileSync('npm', ['config', 'get', 'registry', 'cache'], {
    env: OUTSIDE,
    cwd: folder,
    encoding: 'utf8',
  })
  const [, upstream = '', cache = ''] = /^registry=(.*)\ncache=(.*)$/m.exec(settings) ?? []
  // Other packages come from the cache of the user, if it has them. Programs that npx installs stay in the folder.
  mkdirSync(join(cache, '_cacache'), { recursive: true })
  mkdirSync(join(folder, 'cache'))
  symlinkSync(join(cache, '_cacache'), join(folder, 'cache/_cacache'))
  const packages = [ROOT, join(ROOT, 'create-propylon')].map((path) => pack(path, join(folder, 'packed')))
  return serveRegistry(packages, upstream)
}

/** Returns variables with which npm uses a registry. */
export function settingsOf(registry: Registry, folder: string): Record<string, string> {
  return {
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, 'cache'),
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'error',
    npm_config_yes: 'true', // Answers npm's question whether it may install create-propylon.
  }
}

function pack(path: string, destination: string): Packed {
  mkdirSync(destination, { recursive: true })
  const options = ['pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', destination]
  const [{ filename }] = JSON.parse(execFileSync('npm', options, { cwd: path, env: OUTSIDE, encoding: 'utf8' }))
  return {
    manifest: JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')),
    tarball: join(destination, filename),
  }
}

/** Serves packed packages. All other packages are redirected to `upstream`, the registry that npm is configured with. */
async function serveRegistry(packages: readonly Packed[], upstream: string): Promise<Registry> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1)
    const named = packages.find(({ manifest }) => manifest.name === path)
    const file = packages.find(({ manifest }) => `${manifest.name}.tgz` === path)
    // The cache of the user must not have these packages: their names and versions are those of others.
    if (file ?? named) response.setHeader('Cache-Control', 'no-store')
    if (file !== undefined) {
      response.end(readFileSync(file.tarball))
    } else if (named !== undefined) {
      const { manifest, tarball } = named
      const digest = createHash('sha512').update(readFileSync(tarball)).digest('base64')
      const dist = { tarball: `${url}/${manifest.name}.tgz`, integrity: `sha512-${digest}` }
      response.setHeader('Content-Type', 'application/json')
      response.end(
        JSON.stringify({
          name: manifest.name,
          'dist-tags': { latest: manifest.version },
          versions: { [manifest.version]: { ...manifest, dist } },
        }),
      )
    } else {
      response.writeHead(302, { Location: new URL(request.url ?? '/', upstream).href }).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, close: () => server.close() }
}
