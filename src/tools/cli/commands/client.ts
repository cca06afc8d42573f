/**
 * `propylon client`: generates a TypeScript client.
 *
 * @module
 */

import { resolve } from 'node:path'
import type { Command } from '../../../base/command-line/command.ts'
import { UsageError } from '../../../base/command-line/command-errors.ts'
import { complain, print } from '../../../base/command-line/terminal.ts'
import { projectWithSettings } from '../env-file.ts'
import { loadApplication } from '../project.ts'

/** `propylon client [SOURCE] --out FILE` */
export const client: Command = {
  name: 'client',
  summary: 'Write a TypeScript client of this project, or of its OpenAPI document',
  arguments: [
    { name: 'SOURCE', optional: true, summary: 'URL or file of a Propylon document (default: this project)' },
  ],
  options: {
    out: { short: 'o', value: 'FILE', summary: 'The module to write, such as web/api.ts' },
    check: { summary: 'Write nothing; exit with 1 if the file is not up to date' },
  },
  details: [
    'The module has no imports. A file that this command did not write is never overwritten.',
    "'propylon serve --reload --client FILE' keeps the client of this project up to date. For documents of other\nservers use openapi-typescript.",
  ],
  examples: [
    'propylon client --out web/api.ts',
    'propylon client --out web/api.ts --check',
    'propylon client https://shop.example/openapi.json --out lib/shop.ts',
  ],
  importsProject: 'without arguments',
  async run(parsed, context) {
    const [source] = parsed.arguments
    const file = parsed.value('out')
    if (file === undefined) throw new UsageError("'propylon client' needs a file to write", "write '--out FILE'")
    const files = await import('../client-file.ts')
    const document =
      source === undefined
        ? await files.documentOf(await loadApplication(projectWithSettings(context.cwd)))
        : await files.readDocument(source, context.cwd)
    const name = source && files.sourceName(source)
    const text = files.clientText(document, name)
    const path = resolve(context.cwd, file)
    if (!parsed.flag('check')) {
      print(context, files.writeClientFile(path, text) ? `Wrote ${file}` : `${file} is up to date`)
      return 0
    }
    if (files.isUpToDate(path, text)) return 0
    const words = ['propylon', 'client', ...(name === undefined ? [] : [name]), '--out', file]
    complain(context, `${file} is not up to date. Run: ${words.map(shellWord).join(' ')}`)
    return 1
  },
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
