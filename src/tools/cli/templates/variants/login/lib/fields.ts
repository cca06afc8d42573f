import type { StandardSchemaV1 } from 'propylon/decorators'

/** Returns the message about a text that is wrong. */
type Rule = (text: string) => string | undefined

/**
 * Makes a Standard Schema of text fields for `validate`. A missing field is the empty text. A schema of Valibot, Zod or
 * ArkType can replace it.
 */
export function textFields<Name extends string>(
  rules: Readonly<Record<Name, Rule>>,
): StandardSchemaV1<Record<Name, string>> {
  return {
    '~standard': { version: 1, vendor: 'lib/fields', validate: (sent) => check(rules, { ...Object(sent) }) },
  }
}

function check<Name extends string>(
  rules: Readonly<Record<Name, Rule>>,
  sent: Readonly<Record<string, unknown>>,
): StandardSchemaV1.Result<Record<Name, string>> {
  const value: Partial<Record<Name, string>> = {}
  const issues: StandardSchemaV1.Issue[] = []
  for (const name in rules) {
    const text = sent[name] ?? ''
    const message = typeof text === 'string' ? rules[name](text) : 'must be a text'
    if (message !== undefined) issues.push({ path: [name], message })
    else value[name] = String(text)
  }
  return isComplete(value, rules) ? { value } : { issues }
}

function isComplete<Name extends string>(
  value: Partial<Record<Name, string>>,
  rules: Readonly<Record<Name, Rule>>,
): value is Record<Name, string> {
  return Object.keys(rules).every((name) => name in value)
}

/** Accepts every text. */
export const anyText: Rule = () => undefined
