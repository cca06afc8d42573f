/** Compares bodies in JSON. */
import { isRecord } from '../../base/record.ts'
import { type Difference, differenceOf, shownText } from './difference.ts'
import type { Rules } from './rules.ts'

/**
 * Parses JSON. Integers that a number cannot hold exactly are of the type bigint.
 *
 * @throws SyntaxError - it is not JSON.
 */
export function parsedJson(text: string): unknown {
  const reviver = (_name: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source ?? ''
    return typeof value === 'number' && /^-?\d{16,}$/.test(source) ? BigInt(source) : value
  }
  return JSON.parse(text, reviver)
}

/** Returns the differences of two values. The order of members is none. */
export function compareJson(old: unknown, fresh: unknown, rules: Rules): Difference[] {
  return [...differences(old, fresh, [], rules)]
}

function* differences(
  old: unknown,
  fresh: unknown,
  path: readonly string[],
  rules: Rules,
): Iterable<Difference> {
  if (path.length > 0 && rules.json.some((rule) => rule.test(path.join('.')))) return
  const where = ['body', path.join('.')].join(' ').trim()
  if (Array.isArray(old) && Array.isArray(fresh)) {
    if (old.length !== fresh.length) {
      yield { where, old: `${old.length} elements`, new: `${fresh.length} elements` }
    }
    for (let index = 0; index < Math.min(old.length, fresh.length); index += 1) {
      yield* differences(old[index], fresh[index], [...path, String(index)], rules)
    }
  } else if (isRecord(old) && isRecord(fresh)) {
    for (const name of new Set([...Object.keys(old), ...Object.keys(fresh)])) {
      const [one, other] = [own(old, name), own(fresh, name)]
      const member = [...path, name]
      if (one !== undefined && other !== undefined) yield* differences(one, other, member, rules)
      else if (!rules.json.some((rule) => rule.test(member.join('.')))) {
        yield { where: `body ${member.join('.')}`, old: shownText(one), new: shownText(other) }
      }
    }
  } else yield* differenceOf(where, old, fresh)
}

function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
