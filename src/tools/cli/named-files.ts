/**
 * Files that a user names on the command line.
 *
 * @module
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { errorMessage, memberOf } from '../../base/thrown.ts'

/**
 * Reads a file.
 *
 * @param noun - the file in messages.
 * @throws UsageError - it cannot be read.
 */
export function readNamedFile(path: string, noun: string, fix: string, encoding: BufferEncoding = 'utf8'): string {
  try {
    return readFileSync(path, encoding)
  } catch (error) {
    throw new UsageError(`${noun} cannot be read (${memberOf(error, 'code')})`, fix)
  }
}

/**
 * Reads a file that will be written. Lines may end as on Windows.
 *
 * @returns undefined if there is none.
 * @throws UsageError - it is not a file.
 */
export function readOutput(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replaceAll('\r\n', '\n')
  } catch (error) {
    if (memberOf(error, 'code') === 'ENOENT') return undefined
    throw unwritable(path, error)
  }
}

/**
 * Writes a file, and its folder if necessary.
 *
 * @throws UsageError - it cannot be written.
 */
export function writeOutput(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  } catch (error) {
    throw unwritable(path, error)
  }
}

function unwritable(path: string, error: unknown): UsageError {
  return new UsageError(`${quoted(path)} cannot be written: ${errorMessage(error)}`, 'name another file')
}
