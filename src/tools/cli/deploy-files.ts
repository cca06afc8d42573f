import { posix } from 'node:path'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import type { NewFile } from './files.ts'
import { ownPackage } from './project-files.ts'
import { template } from './templates.ts'

/** The ways to run a project on a server for which there are files. */
export const DEPLOY_TARGETS = ['systemd', 'nginx', 'docker'] as const

/** A way to run a project on a server. */
export type DeployTarget = (typeof DEPLOY_TARGETS)[number]

/** The project and the server that the files are for. */
export interface Deployment {
  /** Name of the service: letters, digits and dashes. */
  readonly name: string
  /** Name of the site's host. */
  readonly host: string
  /** Path of the site on its host: `/store`, or nothing for the root. */
  readonly prefix: string
  /** Whether the project has migrations, which run before it starts. */
  readonly hasMigrations: boolean
}

/** Runs the migrations, where the project's packages are installed. */
export const MIGRATE = 'node node_modules/propylon/dist/cli/main.js migrate'

/** Returns the files of a way to run a project. Their paths are relative to its root. */
export function deployFiles(target: DeployTarget, deployment: Deployment): NewFile[] {
  switch (target) {
    case 'systemd':
      return [{ path: 'deploy/propylon.service', text: service(deployment) }]
    case 'nginx':
      return [{ path: 'deploy/nginx.conf', text: nginx(deployment) }]
    case 'docker':
      return [
        { path: 'Dockerfile', text: filled('_Dockerfile', deployment) },
        { path: '.dockerignore', text: filled('_dockerignore', deployment) },
      ]
  }
}

/**
 * Returns the prefix without a slash at its end.
 *
 * @throws UsageError - it is not a path of a site.
 */
export function checkedPrefix(prefix: string): string {
  const path = prefix.replace(/\/+$/, '')
  if (path === '' || (/^(?:\/[\w.~-]+)+$/.test(path) && posix.normalize(path) === path)) return path
  throw new UsageError(`${quoted(prefix)} is not a prefix`, 'write a path such as /store')
}

/** @throws UsageError - the text is not the name of a host. */
export function checkedHost(host: string): string {
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
  if (host.length <= 253 && new RegExp(`^${label}(?:\\.${label})*$`, 'i').test(host))
    return host.toLowerCase()
  throw new UsageError(`${quoted(host)} is not the name of a host`, 'write one such as www.example.com')
}

function service(deployment: Deployment): string {
  return filled('propylon.service', deployment).replace('# Put project-migrate here.\n', () =>
    deployment.hasMigrations ? `ExecStartPre=/usr/bin/env ${MIGRATE}\n` : '',
  )
}

function nginx(deployment: Deployment): string {
  const hasPrefix = deployment.prefix !== ''
  return filled('nginx.conf', deployment)
    .replace('# Put project-map here.\n\n', () =>
      hasPrefix ? `${filled('nginx-map.conf', deployment)}\n` : '',
    )
    .replace('# Put project-location here.\n', () =>
      filled(hasPrefix ? 'nginx-prefix.conf' : 'nginx-location.conf', deployment),
    )
}

function filled(file: string, { name, host, prefix }: Deployment): string {
  const words: Readonly<Record<string, string>> = {
    'project-name': name,
    'project-prefix': prefix,
    'project-pattern': prefix.replaceAll('.', '\\.'),
    'project-variable': `of_${name.replaceAll('-', '_')}`,
    'www.example.com': host,
    'node-version': ownPackage().devDependencies.node?.split('.')[0] ?? '24',
  }
  return template(`deploy/${file}`).replaceAll(
    /project-(?:name|prefix|pattern|variable)|www\.example\.com|node-version/g,
    (word) => words[word] ?? word,
  )
}
