import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { check, project } from './project.ts'
import { typedProject } from './typed-project.ts'
import { WRONG } from './wrong-programs.ts'

/** The findings of the compiler. */
const OF_TYPES: ReadonlySet<string> = new Set(['argument-type', 'result-unusable', 'type-error'])

describe('a wrong program is refused', () => {
  for (const { title, files, code, severity = 'error', at, says } of WRONG) {
    it(title, async () => {
      const { status, findings } = await check(OF_TYPES.has(code) ? typedProject(files) : project(files))
      const [first, ...others] = findings.map((finding) => ({
        code: finding.code,
        severity: finding.severity,
        at: `${finding.file}:${finding.line}:${finding.column}`,
        text: `${finding.message} ${finding.fix}`,
      }))
      assert.ok(first, 'nothing is reported')
      assert.deepEqual({ ...first, text: '' }, { code, severity, at, text: '' }, first.text)
      for (const words of says) assert.ok(first.text.includes(words), `${words} is missing in: ${first.text}`)
      assert.deepEqual(others, [], 'nothing else is reported')
      assert.equal(status, severity === 'error' ? 1 : 0)
    })
  }
})
