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

/** Writes the client of an application, and writes it again when its document changes. */
export class ServedClient {
  readonly #file: string
  readonly #path: string
  readonly #terminal: Terminal
  #stopPolling = () => {}
  #isClosed = false
  /** The last problem that was printed. */
  #problem = ''

  /**
   * @param file - path of the client, relative to the working directory.
   * @throws UsageError - the file exists and is not a generated client.
   */
  constructor(file: string, terminal: Terminal) {
    this.#file = file
    this.#path = resolve(terminal.cwd, file)
    this.#terminal = terminal
    isUpToDate(this.#path, '')
  }

  /** Writes the client, then checks the files until `close()`. */
  start(app: WSGICallable, files: ProjectFiles): void {
    files.haveChanged() // Changes from now on count.
    void this.#write(app).then(() => {
      if (!this.#isClosed)
        this.#stopPolling = poll(() => (files.haveChanged() ? this.#write(app) : undefined))
    })
  }

  close(): void {
    this.#isClosed = true
    this.#stopPolling()
  }

  async #write(app: WSGICallable): Promise<void> {
    let problem = ''
    try {
      const text = clientText(await documentOf(app), undefined)
      if (writeClientFile(this.#path, text)) print(this.#terminal, `Wrote ${this.#file}`)
    } catch (error) {
      const isExpected = error instanceof CommandError || error instanceof UsageError
      problem = isExpected ? error.message : errorText(error)
    }
    if (problem !== '' && problem !== this.#problem) {
      complain(this.#terminal, `propylon: ${this.#file} was not written. ${problem}`)
    }
    this.#problem = problem
  }
}
