/** A registry of npm on this machine, from which the packed packages of this repository are installed by their names. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A packed package. */
export interface Packed {
  readonly manifest: { readonly name: string; readonly version: string }
  readonly tarball: string
}

/** A running registry. */
export interface Registry {
  readonly url: string
  close(): void
}

/** Serves packed packages. All other packages are redirected to `upstream`, the registry that npm is configured with. */
export async function serveRegistry(packages: readonly Packed[], upstream: string): Promise<Registry> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1)
    const named = packages.find(({ manifest }) => manifest.name === path)
    const file = packages.find(({ manifest }) => `${manifest.name}.tgz` === path)
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
