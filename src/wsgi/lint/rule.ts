/**
 * The rules of the gateway. `lint()` checks them, and docs/reference/gateway.md is generated from them.
 *
 * @module
 */

/** The side that a rule applies to. */
export type Party = 'application' | 'server'

/**
 * A rule of the gateway was broken.
 *
 * @example
 * ```ts
 * import { createEnviron, LintError, lint, run } from 'propylon/wsgi'
 *
 * try {
 *   await run(lint(() => []), createEnviron())
 * } catch (error) {
 *   if (error instanceof LintError) console.log(error.rule, error.fix) // 'start-response-called', 'Call it before …'
 * }
 * ```
 */
export class LintError extends Error {
  /** Name of the rule, as in docs/reference/gateway.md. */
  readonly rule: string
  /** Side that broke the rule. Middleware is a server for the application that it wraps. */
  readonly party: Party
  /** Instructions for a fix. */
  readonly fix: string

  constructor(rule: Rule, found: string) {
    super(
      `[${rule.id}] The ${rule.party} broke a rule of the gateway: ${rule.requirement} Found: ${found}. ${rule.fix}`,
    )
    this.name = 'LintError'
    this.rule = rule.id
    this.party = rule.party
    this.fix = rule.fix
  }
}

/** A rule of the gateway. */
export interface Rule {
  readonly id: string
  readonly party: Party
  /** Requirement, as one or more sentences. */
  readonly requirement: string
  /** Instructions for a fix, as one or more sentences. */
  readonly fix: string
  /** Returns the error for a broken rule. @param found - description of the value that breaks it. */
  error(found: string): LintError
}

/** A section of docs/reference/gateway.md: rules of one subject and their introduction. */
export interface Section<Id extends string = string> {
  readonly title: string
  readonly text: string
  readonly rules: Readonly<Record<Id, Rule>>
}

/** Creates a section of rules for one side. */
export function section<Id extends string>(
  title: string,
  text: string,
  party: Party,
  rules: Readonly<Record<Id, readonly [requirement: string, fix: string]>>,
): Section<Id> {
  const made: Partial<Record<Id, Rule>> = {}
  for (const id in rules) {
    const [requirement, fix] = rules[id]
    const rule: Rule = { id, party, requirement, fix, error: (found) => new LintError(rule, found) }
    made[id] = rule
  }
  // The loop has created a rule for each id, which the type checker cannot see.
  return { title, text, rules: made as Record<Id, Rule> }
}
