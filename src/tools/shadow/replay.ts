/** Replays recorded requests against two servers. */

import { errorMessage } from '../../base/thrown.ts'
import { isSafe } from '../../http/cross-site.ts'
import { compareAnswers } from './compare.ts'
import type { Difference } from './difference.ts'
import type { ShadowRequest } from './requests.ts'
import type { Rules } from './rules.ts'
import { type Answer, send, type Target } from './send.ts'

/** Options of {@link replay}. */
export interface ReplayOptions {
  readonly old: Target
  readonly fresh: Target
  readonly rules: Rules
  /** Whether to send requests that may change something. */
  readonly unsafe: boolean
  readonly concurrency: number
  /** Called for each request that differs. */
  report(request: ShadowRequest, differences: readonly Difference[]): void
}

/** Number of requests by their results. */
export interface Counts {
  equal: number
  different: number
  /** Requests that may change something, lack their body, or have an ignored path. */
  skipped: number
}

/** Replays requests. Several are in progress at once, so those that depend on each other need concurrency 1. */
export async function replay(
  requests: AsyncIterable<ShadowRequest>,
  options: ReplayOptions,
): Promise<Counts> {
  const counts: Counts = { equal: 0, different: 0, skipped: 0 }
  const iterator = requests[Symbol.asyncIterator]()
  const work = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await iterator.next()
      if (done) return
      const differences = isSkipped(value, options) ? undefined : await differencesOf(value, options)
      if (differences === undefined) counts.skipped += 1
      else if (differences.length === 0) counts.equal += 1
      else {
        counts.different += 1
        options.report(value, differences)
      }
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, work))
  options.old.agent.destroy()
  options.fresh.agent.destroy()
  return counts
}

function isSkipped({ method, target, lacksBody }: ShadowRequest, { rules, unsafe }: ReplayOptions): boolean {
  const path = target.split('?', 1)[0] ?? ''
  return lacksBody || (!unsafe && !isSafe(method)) || rules.paths.some((rule) => rule.test(path))
}

async function differencesOf(
  request: ShadowRequest,
  { old, fresh, rules }: ReplayOptions,
): Promise<Difference[]> {
  const [one, other] = await Promise.all([answerOf(old, request), answerOf(fresh, request)])
  const differences = compare(one, other, rules)
  if (differences.length === 0 || one instanceof Error || !isSafe(request.method)) return differences
  const again = await answerOf(old, request)
  if (again instanceof Error) return differences
  // Places in which the old server differs from itself, such as a clock, say nothing about the new one.
  const unsteady = new Set(compare(one, again, rules).map(({ where }) => where))
  return differences.filter(({ where }) => !unsteady.has(where))
}

function answerOf(target: Target, request: ShadowRequest): Promise<Answer | Error> {
  return send(target, request).catch((error: unknown) => new Error(errorMessage(error)))
}

function compare(old: Answer | Error, fresh: Answer | Error, rules: Rules): Difference[] {
  if (!(old instanceof Error) && !(fresh instanceof Error)) return compareAnswers(old, fresh, rules)
  const [one, other] = [old, fresh].map((answer) =>
    answer instanceof Error ? `no response: ${answer.message}` : `status ${answer.status}`,
  )
  return [{ where: 'response', old: one ?? '', new: other ?? '' }]
}
