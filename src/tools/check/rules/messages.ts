/**
 * Messages that do not exist, and values that they do not take or lack.
 *
 * @module
 */
import { similar } from '../../../base/suggest.ts'
import { didYouMean, type Finding } from '../finding.ts'
import { MessageFiles } from '../message-files.ts'
import { type Place, placeOf } from '../model.ts'
import { ownCalls, passesValue } from '../own-calls.ts'
import { objectEntries, type SyntaxNode } from '../syntax.ts'
import { literalsOf } from '../template-files.ts'
import type { Project } from './rule.ts'

/** Checks the keys and the values of `this.t()` in controllers and `it.t()` in templates. */
export function* checkMessages({ wiring, templates, messages }: Project): Iterable<Finding> {
  if (messages === undefined) return
  const known = new MessageFiles(messages)
  for (const model of wiring.models) {
    for (const { label, module, call } of ownCalls(model, 't')) {
      const [key, values] = call.arguments
      for (const { name, node } of key === undefined ? [] : literalsOf(key)) {
        const where = { controller: model.name, place: placeOf(module, node) }
        yield* checkCall(`${label}()`, name, values, known, where)
      }
    }
  }
  const code = [...(templates?.code() ?? [])]
  const isReplaced =
    code.some(({ replaces }) => replaces.has('t')) || wiring.models.some((one) => passesValue(one, 't'))
  for (const { file, calls } of isReplaced ? [] : code) {
    for (const { kind, name, place, values } of calls) {
      if (kind === 'message') yield* checkCall(file, name, values, known, { place })
    }
  }
  yield* known.differences()
}

function* checkCall(
  label: string,
  key: string,
  values: SyntaxNode | undefined,
  messages: MessageFiles,
  where: { readonly place: Place; readonly controller?: string },
): Iterable<Finding> {
  const name = JSON.stringify(key)
  const takes = messages.takenBy(key)
  if (takes === undefined) {
    const meant = similar(key, messages.keys)
    yield {
      ...where,
      code: 'message-unknown',
      message: `${label} names the message ${name}, which no language has.`,
      fix: didYouMean(meant, 'Write it, or correct the key.'),
    }
    return
  }
  const nothing = { entries: new Map<string, SyntaxNode>(), complete: true }
  const given = values === undefined ? nothing : objectEntries(values)
  if (given === undefined) return
  const missing = given.complete ? [...takes.keys()].filter((each) => !given.entries.has(each)) : []
  const superfluous = [...given.entries.keys()].filter((each) => !takes.has(each))
  const lack = missing.map((each) => `lacks the value ${each}`)
  const excess = superfluous.map((each) => `gives the value ${each}, which the message does not take`)
  if (lack.length + excess.length === 0) return
  yield {
    ...where,
    code: lack.length > 0 ? 'message-values' : 'message-superfluous',
    message: `${label} names the message ${name} and ${[...lack, ...excess].join(', and ')}.`,
    fix: takes.size === 0 ? 'Leave the values out.' : `It takes ${[...takes.keys()].join(', ')}.`,
  }
}
