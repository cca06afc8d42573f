/**
 * `static tools` and `static resources`: actions that no request of a tool or a resource reaches.
 *
 * @module
 */
import type { Finding } from '../finding.ts'
import type { ControllerModel, StaticEntry } from '../model.ts'
import { accessTo } from '../reach.ts'
import { isAction, type Wiring } from '../wiring.ts'

/** Checks that routes lead to the actions that classes declare as tools and resources: with GET to a resource. */
export function* checkExposure(wiring: Wiring): Iterable<Finding> {
  for (const model of wiring.models) {
    if (model.isService) continue
    for (const entry of model.staticEntries) {
      const { record, name } = entry
      if (record !== 'tools' && record !== 'resources') continue
      if (!model.methods.has(name) || !isAction(name)) continue
      const routes = accessTo(wiring, model, name).filter(({ by }) => by === 'route')
      const isRead = routes.some(({ methods }) => methods?.includes('GET') ?? true)
      if (routes.length === 0) yield unreached(model, entry, 'no route leads to it', 'Define a route')
      else if (record === 'resources' && !isRead) {
        yield unreached(model, entry, 'no route leads to it with GET', 'Define a route for GET')
      }
    }
  }
}

function unreached(model: ControllerModel, entry: StaticEntry, why: string, fix: string): Finding {
  return {
    code: 'tool-unreached',
    place: entry.place,
    message: `static ${entry.record} of ${model.className} names ${entry.name}(), but ${why}.`,
    fix: `${fix}, or remove the name.`,
    controller: model.name,
    action: entry.name,
  }
}

/** Returns true for a name in `static prompts`. */
export function isPrompt({ staticEntries }: ControllerModel, name: string): boolean {
  return staticEntries.some((entry) => entry.record === 'prompts' && entry.name === name)
}
