/** The files of docs/guides/production.md. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { pageAt } from '../docs/blocks.ts'

const { blocks } = pageAt('docs/guides/production.md')

/** Returns a file of the guide. */
export function fileOfGuide(file: string): string {
  return blocks.find((known) => known.file === file)?.code ?? assert.fail(file)
}

/** Returns the configuration of nginx for an application at /store, as the guide composes it. */
export function siteBelowPath(): string {
  const part = (beginning: string) =>
    blocks.find(({ code }) => code.startsWith(beginning))?.code ?? assert.fail(beginning)
  return fileOfGuide('deploy/nginx.conf')
    .replace(/^ {2}location \/ \{[^}]*\}\n/m, () => part('  # Other paths of the host.'))
    .replace(/^server \{/m, (line) => `${part('map $request_uri')}\n${line}`)
}

/** Changes a configuration for an nginx before 1.25.1 as its comment says. */
export function forInstalledNginx(site: string): string {
  assert.match(site, /Delete it there, and write 'ssl http2' in the two lines above\.\n {2}http2 on;\n/)
  const { stderr } = spawnSync('nginx', ['-v'], { encoding: 'utf8' })
  const [major = 0, minor = 0, patch = 0] = (/\/([\d.]+)/.exec(stderr)?.[1] ?? '').split('.').map(Number)
  if (major * 1e6 + minor * 1e3 + patch >= 1_025_001) return site
  return site.replace('  http2 on;\n', '').replaceAll(/(listen (?:\[::\]:)?443 ssl);/g, '$1 http2;')
}
