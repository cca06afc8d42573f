/**
 * Keeps a generated client up to date while `propylon serve --reload --client FILE` runs.
 *
 * @module
 */

import { resolve } from 'node:path'
import { CommandError, UsageError } from '../../base/command-line/command-errors.ts'
import { complain, print, type Terminal } from '../../base/command-line/terminal.ts'
import { errorText } from '../../base/thrown.ts'
import type { WSGICallable } from '../../wsgi/types.ts'
import { poll } from '../reload/poll.ts'
import type { ProjectFiles } from '../reload/project-files.ts'
import { documentOf } from './api-document.ts'
import { clientText, isUpToDate, writeClientFile } from './client-file.ts'

/**
 * Returns a function that writes the client of an application, and writes it again when its document changes. That function
 * returns another one, which ends this.
 *
 * @param file - path of the client, relative to the working directory.
 * @throws UsageError - the file exists and is not a generated client.
 */
export function servedClient(file: string, terminal: Terminal) {
  const path = resolve(terminal.cwd, file)
  isUpToDate(path, '')
  /** The last problem that was printed. */
  let printed = ''
  const write = async (app: WSGICallable): Promise<void> => {
    let problem = ''
    try {
      const text = clientText(await documentOf(app), undefined)
      if (writeClientFile(path, text)) print(terminal, `Wrote ${file}`)
    } catch (error) {
      const isExpected = error instanceof CommandError || error instanceof UsageError
      problem = isExpected ? error.message : errorText(error)
    }
    if (problem !== '' && problem !== printed)
      complain(terminal, `propylon: ${file} was not written. ${problem}`)
    printed = problem
  }
  return (app: WSGICallable, files: ProjectFiles): (() => void) => {
    files.haveChanged() // Changes from now on count.
    const written = write(app)
    return poll(() => (files.haveChanged() ? written.then(() => write(app)) : undefined))
  }
}
