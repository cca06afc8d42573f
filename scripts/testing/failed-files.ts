/**
 * A reporter of `node --test` that lists the files of failed tests, one a line.
 *
 *     node --test --test-reporter=./scripts/testing/failed-files.ts --test-reporter-destination=failed
 */
import type { TestEvent } from 'node:test/reporters'

export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Set<string>()
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || data.todo !== undefined || data.file === undefined) continue
    // A suite fails with its tests, and may be defined elsewhere.
    const { error } = data.details
    if (!('failureType' in error) || error.failureType !== 'subtestsFailed') files.add(data.file)
  }
  for (const file of files) yield `${file}\n`
}
