/**
 * A reporter of `node --test`: a line for each failed test, its details at the end, the number of tests, and the
 * slowest files. What the tests print is shown at the end if one has failed, or if they are in few files.
 *
 *     node --test --test-reporter=./scripts/testing/reporter.ts
 *
 * PROPYLON_TEST_FAILED is the path of a file to which it writes the paths of the test files that failed, one a line.
 */
import { writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import { ROOT } from './files.ts'

/** Defines the suite of each file, with its path as the name. */
const WORKER = join(ROOT, 'scripts/testing/worker.ts')

/** Number of the slowest files that are listed. */
const SLOWEST = 5

/** Number of files up to which the output of passed tests is shown. */
const FEW = 10

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  /** The suites that the next test is in. */
  const suites: string[] = []
  const details: string[] = []
  const output: string[] = []
  const failed = new Set<string>()
  const times = new Map<string, number>()
  /** The file of the next tests, whose helpers may be defined elsewhere. */
  let file = ''
  for await (const { type, data } of events) {
    if (type === 'test:start') {
      if (data.nesting === 0) file = data.file === WORKER ? resolve(ROOT, data.name) : entryOf(data)
      suites.splice(data.nesting, suites.length, data.file === WORKER ? '' : data.name)
    } else if (type === 'test:pass' || type === 'test:fail') {
      if (data.name === data.file) continue // A process that found no file left.
      if (data.nesting === 0) times.set(file, (times.get(file) ?? 0) + data.details.duration_ms)
      if (type === 'test:pass' || data.todo !== undefined) continue
      const { error } = data.details
      // A suite fails with its tests.
      if ('failureType' in error && error.failureType === 'subtestsFailed') continue
      failed.add(file)
      const { cause = error } = error
      const names = [...suites.slice(0, data.nesting), data.file === WORKER ? '' : data.name]
      const path = names.filter((name) => name !== '').join(' > ')
      const title = `✖ ${relative(ROOT, file)}${path === '' ? '' : `: ${path}`}`
      const text = cause instanceof Error ? cause.message : inspect(cause)
      yield `${title}: ${text.split('\n', 1)[0]}\n`
      const place = data.file === undefined ? '' : ` (${relative(ROOT, data.file)}:${data.line}:${data.column})`
      details.push(`\n${title}${place}\n${inspect(cause).replaceAll(/^(?=.)/gm, '  ')}\n`)
    } else if (type === 'test:interrupted') {
      yield* details
      for (const { file: path = '' } of data.tests) {
        failed.add(path)
        yield `✖ ${relative(ROOT, path)}: has not ended\n`
      }
      writeFailed(failed)
    } else if (type === 'test:stdout' || type === 'test:stderr') {
      output.push(data.message)
    } else if (type === 'test:summary' && data.file === undefined) {
      const { tests, passed, skipped, todo } = data.counts
      if (failed.size > 0 || times.size <= FEW) yield* output
      yield* details
      yield `\n${passed} passed, ${tests - passed - skipped - todo} failed, ${skipped + todo} skipped\n`
      yield `\nThe slowest of ${times.size} files, which took ${seconds(data.duration_ms)}:\n`
      for (const [file, time] of [...times].sort(([, a], [, b]) => b - a).slice(0, SLOWEST)) {
        yield `${seconds(time).padStart(10)}  ${relative(ROOT, file)}\n`
      }
    }
  }
  writeFailed(failed)
}

function writeFailed(paths: ReadonlySet<string>): void {
  const { PROPYLON_TEST_FAILED } = process.env
  if (PROPYLON_TEST_FAILED === undefined) return
  writeFileSync(PROPYLON_TEST_FAILED, [...paths].map((path) => `${path}\n`).join(''))
}

/** Returns the file that Node has run. The types of Node lack the property. */
function entryOf(data: { readonly file?: string; readonly entryFile?: string }): string {
  return data.entryFile ?? data.file ?? ''
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}
