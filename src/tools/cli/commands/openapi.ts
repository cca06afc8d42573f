/**
 * `propylon openapi`: writes the OpenAPI document of the application.
 *
 * @module
 */

import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Command, Context } from '../../../base/command-line/command.ts'
import { UsageError } from '../../../base/command-line/command-errors.ts'
import { complain, print } from '../../../base/command-line/terminal.ts'
import { projectWithSettings } from '../env-file.ts'
import { writeOutput } from '../named-files.ts'
import { loadApplication } from '../project.ts'

/** `propylon openapi [--out FILE | --check FILE]` */
export const openapi: Command = {
  name: 'openapi',
  summary: 'Write the OpenAPI document of the application',
  arguments: [],
  options: {
    out: { value: 'FILE', summary: 'Write it to a file instead of the output' },
    check: { value: 'FILE', summary: 'Exit with 1 if the file differs from the document' },
  },
  details: [
    'The application serves the same document at /openapi.json, as JSON. It needs the option\nopenapi: new FrameworkApp({ …, openapi: { title, version } }). --check compares the values, not their layout.',
  ],
  examples: ['propylon openapi --out openapi.json', 'propylon openapi --check openapi.json'],
  importsProject: 'always',
  async run(parsed, context) {
    const [out, check] = [parsed.value('out'), parsed.value('check')]
    if (out !== undefined && check !== undefined) {
      throw new UsageError('--out and --check exclude each other', 'give one of them')
    }
    const { documentOf } = await import('../client-file.ts')
    const document = await documentOf(await loadApplication(projectWithSettings(context.cwd)))
    if (check !== undefined) return compare(check, document, context)
    const text = `${JSON.stringify(document, null, 2)}\n`
    if (out === undefined) print(context, text.trimEnd())
    else writeOutput(resolve(context.cwd, out), text)
    return 0
  },
}

/** Compares a file with the document. Its layout may differ, because formatters change it. */
function compare(name: string, document: unknown, context: Context): number {
  const file = resolve(context.cwd, name)
  const shown = relative(context.cwd, file)
  let written: string | undefined
  try {
    written = JSON.stringify(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    written = undefined // Missing, or not JSON.
  }
  if (written === JSON.stringify(document)) {
    print(context, `${shown} is up to date.`)
    return 0
  }
  const problem = written === undefined ? 'does not exist or is not JSON' : 'differs from the application'
  complain(context, `${shown} ${problem}. Write it with: propylon openapi --out ${shown}`)
  return 1
}
