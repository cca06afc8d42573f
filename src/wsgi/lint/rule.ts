/**
 * The rules of the gateway as values: what `lint()` checks by, and what the gateway's documentation is made of.
 *
 * @module
 */

/** Who must keep a rule. */
export type Party = 'application' | 'server'

/** A rule of the gateway was broken. */
export class LintError extends Error {
  /** The rule's name, as the gateway's documentation lists it. */
  readonly rule: string
  /** Who broke it. Middleware is a server to what it wraps, and an application to what calls it. */
  readonly party: Party
  /** What to do about it. */
  readonly mend: string

  constructor(rule: Rule, found: string) {
    super(
      `[${rule.id}] The ${rule.party} broke a rule of the gateway: ${rule.says} Found: ${found}. ${rule.mend}`,
    )
    this.name = 'LintError'
    this.rule = rule.id
    this.party = rule.party
    this.mend = rule.mend
  }
}

/** One rule. */
export class Rule {
  readonly id: string
  readonly party: Party
  /** What must be, as one or more sentences. */
  readonly says: string
  /** What to do when it is not, as one or more sentences. */
  readonly mend: string

  constructor(id: string, party: Party, says: string, mend: string) {
    this.id = id
    this.party = party
    this.says = says
    this.mend = mend
  }

  /** The error that says the rule is broken, by what was found. */
  error(found: string): LintError {
    return new LintError(this, found)
  }
}

/** Rules that belong together, with the text that introduces them. */
export interface Section<Id extends string = string> {
  readonly title: string
  readonly text: string
  readonly rules: Readonly<Record<Id, Rule>>
}

/** Makes a section of rules for one party; a rule is what must be, and what to do when it is not. */
export function section<Id extends string>(
  title: string,
  text: string,
  party: Party,
  rules: Readonly<Record<Id, readonly [says: string, mend: string]>>,
): Section<Id> {
  const made: Partial<Record<Id, Rule>> = {}
  for (const id in rules) {
    const [says, mend] = rules[id]
    made[id] = new Rule(id, party, says, mend)
  }
  return { title, text, rules: complete(made) }
}

function complete<Id extends string>(made: Partial<Record<Id, Rule>>): Record<Id, Rule> {
  // Every key of the input has been given its rule above, which the compiler cannot see.
  return made as Record<Id, Rule>
}

/** A value as an error shows it: what it is, cut to a readable length. */
export function found(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'function') return `the function ${value.name || '(without a name)'}`
  if (typeof value !== 'object') return typeof value
  return 'then' in value ? 'a promise' : `a ${value.constructor?.name ?? 'prototype-free object'}`
}
