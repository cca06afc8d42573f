/**
 * `propylon upgrade`: changes an application for this version, and prints what it cannot change.
 *
 * @module
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from '../../../base/command-line/command.ts'
import { quoted, UsageError } from '../../../base/command-line/command-errors.ts'
import { print, styled } from '../../../base/command-line/terminal.ts'
import { writeFiles } from '../files.ts'

/** `propylon upgrade` */
export const upgrade: Command = {
  name: 'upgrade',
  summary: 'Change an application of version 0.2 for this version',
  arguments: [],
  options: {
    'dry-run': { short: 'n', summary: 'List the changes without writing them' },
  },
  details: [
    'Changes imports of names that have moved, and the version in package.json. Then it lists the lines that use\nsomething whose meaning has changed. Commit before you run it, and read the difference afterwards.',
  ],
  examples: ['propylon upgrade --dry-run', 'propylon upgrade'],
  async run(parsed, context) {
    if (!existsSync(join(context.cwd, 'package.json'))) {
      throw new UsageError(
        `there is no package.json in ${quoted(context.cwd)}`,
        'change into the root of an application',
      )
    }
    const { upgradedFiles } = await import('../../upgrade/upgrade.ts')
    const files = upgradedFiles(context.cwd, context.version)
    const changed = files.filter(({ before, text }) => before !== text)
    const isDry = parsed.flag('dry-run')
    if (!isDry) writeFiles(context.cwd, [], changed)
    for (const { path, moved } of changed) {
      print(context, [styled('green', isDry ? 'would change' : 'changed'), ` ${path}: ${moved.join(', ')}`])
    }
    const open = files.flatMap(({ path, open: places }) =>
      places.map(({ line, message }) => [styled('cyan', `${path}:${line}`), ` ${message}`]),
    )
    if (open.length > 0) print(context, '', styled('bold', 'Look at these lines:'), ...open)
    if (files.length === 0) print(context, 'Nothing to change.')
    else print(context, '', "Then run 'npm install', 'npm run typecheck' and 'npm test'.")
    print(context, "'npx propylon docs upgrading' describes each change.")
    return 0
  },
}
