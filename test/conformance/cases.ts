/** Test cases of other projects, rewritten as data: an input, and the outcomes that the project expects. */
import assert from 'node:assert/strict'
import { it } from 'node:test'

export interface Case<Input> {
  /** Description, unique among the cases of a project. */
  readonly name: string
  readonly input: Input
  readonly allowed: readonly string[]
  /** Explanation of a different outcome, in one sentence. */
  readonly reason?: string | undefined
}

type OutcomeOf<Input> = (input: Input, allowed: readonly string[]) => string | Promise<string>

/** Declares a test that runs cases one after the other. Each has an allowed outcome, or a reason for another one. */
export function agrees<Input>(project: string, cases: readonly Case<Input>[], outcomeOf: OutcomeOf<Input>): void {
  it(`agrees with the cases of ${project}, or has a reason`, async () => {
    assert.deepEqual(await problemsOf(cases, outcomeOf), [])
  })
}

/** Runs cases, and returns failures without a reason, reasons without a failure, and names that occur twice. */
export async function problemsOf<Input>(cases: readonly Case<Input>[], outcomeOf: OutcomeOf<Input>): Promise<string[]> {
  const names = new Set<string>()
  const problems: string[] = []
  for (const { name, input, allowed, reason } of cases) {
    if (names.has(name)) problems.push(`${name}: a second case of this name`)
    names.add(name)
    const actual = await outcomeOf(input, allowed)
    const isAllowed = allowed.includes(actual)
    if (isAllowed && reason !== undefined) problems.push(`${name}: passes, but has the reason ${reason}`)
    if (!isAllowed && reason === undefined) problems.push(`${name}: expected ${allowed.join(' or ')}, found ${actual}`)
  }
  return problems
}
