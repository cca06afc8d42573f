/**
 * A reporter of `node --test` that lists the files of failed tests, one a line.
 *
 *     node --test --test-reporter=./scripts/testing/failed-files.ts --test-reporter-destination=failed
 */
import { join, resolve } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { ROOT } from './files.ts'

/** Defines the suite of each file, with its path as the name: a suite fails itself if its file does not load or takes too long. */
const WORKER = join(ROOT, 'scripts/testing/worker.ts')

export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Set<string>()
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || data.todo !== undefined || data.file === undefined) continue
    // A suite fails with its tests, and may be defined elsewhere.
    const { error } = data.details
    if ('failureType' in error && error.failureType === 'subtestsFailed') continue
    files.add(data.file === WORKER ? resolve(ROOT, data.name) : data.file)
  }
  for (const file of files) yield `${file}\n`
}
