/**
 * `propylon deploy`: writes files for systemd, nginx or Docker.
 *
 * @module
 */

import { existsSync } from 'node:fs'
import { argument, type Command } from '../../../base/command-line/command.ts'
import { quoted, UsageError } from '../../../base/command-line/command-errors.ts'
import { print } from '../../../base/command-line/terminal.ts'
import { nearest } from '../../../base/suggest.ts'
import {
  checkedHost,
  checkedPrefix,
  DEPLOY_TARGETS,
  type DeployTarget,
  deployFiles,
  MIGRATE,
} from '../deploy-files.ts'
import { findProject, type Project, packageOf, pathIn } from '../project.ts'
import { carryOut } from '../scaffold.ts'
import { packageName } from './create.ts'

/** `propylon deploy TARGET` */
export const deploy: Command = {
  name: 'deploy',
  summary: 'Write the files with which a server runs the project',
  arguments: [{ name: 'TARGET', summary: 'systemd, nginx or docker' }],
  options: {
    name: { value: 'NAME', summary: 'The name of the service (default: the name of the package)' },
    host: { value: 'HOST', summary: 'nginx: the name of the host (default: www.example.com)' },
    prefix: { value: 'PATH', summary: 'nginx: the path of the site on its host, such as /store' },
    'dry-run': { short: 'n', summary: 'List the files without writing them' },
  },
  details: [
    'systemd writes deploy/propylon.service, nginx deploy/nginx.conf, docker Dockerfile and .dockerignore. They are\nyours: an existing file is never overwritten. nginx reaches the service at the socket /run/NAME/app.sock.',
  ],
  examples: ['propylon deploy systemd', 'propylon deploy nginx --host shop.example --prefix /store'],
  run(parsed, context) {
    const target = targetNamed(argument(parsed, 0))
    for (const option of ['host', 'prefix']) {
      if (target !== 'nginx' && parsed.value(option) !== undefined) {
        throw new UsageError(`--${option} is an option for nginx`, `omit it for ${target}`)
      }
    }
    const host = checkedHost(parsed.value('host') ?? 'www.example.com')
    const prefix = checkedPrefix(parsed.value('prefix') ?? '')
    const project = findProject(context.cwd)
    const typedName = parsed.value('name')
    const name = typedName === undefined ? defaultName(project) : checkedName(typedName)
    const hasMigrations = existsSync(pathIn(project, 'migrations'))
    const files = deployFiles(target, { name, host, prefix, hasMigrations })
    carryOut(project, { created: files, changed: [] }, context, parsed.flag('dry-run'))
    print(context, '', ...nextSteps(target, name, project))
    return 0
  },
}

function targetNamed(typed: string): DeployTarget {
  const target = DEPLOY_TARGETS.find((name) => name === typed)
  if (target !== undefined) return target
  const guess = nearest(typed, DEPLOY_TARGETS)
  throw new UsageError(
    `there are no files for ${quoted(typed)}`,
    guess === undefined ? `write ${DEPLOY_TARGETS.join(', ')}` : `did you mean 'propylon deploy ${guess}'?`,
  )
}

/** Returns the name of the project's package, as far as a service can have it. */
function defaultName(project: Project): string {
  const { name: ownName } = packageOf(project)
  const name = packageName(typeof ownName === 'string' ? ownName : project.root)
  return (/^[a-z]/.test(name) ? name : `site-${name}`).slice(0, 31).replace(/-$/, '')
}

/** The limits of user names on Linux apply, because the service's user has the same name. */
function checkedName(name: string): string {
  if (/^[a-z][a-z0-9-]{0,30}$/.test(name)) return name
  throw new UsageError(
    `${quoted(name)} is not a name of a service`,
    'write up to 31 small letters, digits and dashes',
  )
}

function nextSteps(target: DeployTarget, name: string, project: Project): string[] {
  if (target !== 'docker') return ['Its first lines say how to install it.']
  const lines = ['Its first lines say how to build and run it.']
  if (!existsSync(pathIn(project, 'package-lock.json'))) {
    lines.push("The build needs package-lock.json, which 'npm install' writes.")
  }
  if (existsSync(pathIn(project, 'migrations'))) {
    lines.push(`Run the migrations first: docker run --rm --env-file .env ${name} ${MIGRATE}`)
  }
  return lines
}
