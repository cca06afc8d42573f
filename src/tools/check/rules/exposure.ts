/**
 * `static tools`, `static resources` and `static prompts`: actions that no request of a tool, a resource or a prompt reaches.
 *
 * @module
 */
import type { Finding } from '../finding.ts'
import type { ControllerModel, StaticEntry } from '../model.ts'
import { requestsFor } from '../reach.ts'
import { hasAction } from '../wiring.ts'
import type { Project } from './rule.ts'

/** Checks that routes lead to the actions that classes declare as tools and resources: with GET to a resource and to a prompt. */
export function* checkExposure(model: ControllerModel, { wiring }: Project): Iterable<Finding> {
  for (const entry of model.staticEntries) {
    const { record, name } = entry
    if (record !== 'tools' && record !== 'resources' && record !== 'prompts') continue
    if (!hasAction(model, name)) continue
    const all = requestsFor(wiring, model, name)
    // A prompt needs no route.
    if (record === 'prompts' && all.length === 0) continue
    const requests = all.filter(({ method }) => record === 'tools' || method === 'GET')
    const [first] = requests
    if (all.length === 0) yield unreached(model, entry, 'no route leads to it', 'Define a route')
    else if (first === undefined) {
      yield unreached(model, entry, 'no route leads to it with GET', 'Define a route for GET')
    } else if (record !== 'prompts' && requests.every(({ takenBy }) => takenBy !== undefined)) {
      const { method, route, takenBy } = first
      const why = `${route.label} is never reached: ${takenBy?.label} is defined before it and takes ${method}`
      yield unreached(model, entry, why, `Define a route to ${model.name}.${name} before ${takenBy?.label}`)
    }
  }
}

function unreached(model: ControllerModel, entry: StaticEntry, why: string, fix: string): Finding {
  return {
    code: 'tool-unreached',
    place: entry.place,
    message: `static ${entry.record} of ${model.className} names ${entry.name}(), but ${why}.`,
    fix: `${fix}, or remove the name.`,
    action: entry.name,
  }
}

/** Returns true for a name in `static prompts`. */
export function isPrompt({ staticEntries }: ControllerModel, name: string): boolean {
  return staticEntries.some((entry) => entry.record === 'prompts' && entry.name === name)
}
