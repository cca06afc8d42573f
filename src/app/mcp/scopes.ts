/** Scopes of tokens that classes require. */
import { describeController } from '../../controllers/action-description.ts'
import type { ControllerClass } from '../../controllers/controller-class.ts'
import type { Catalogue } from './exposed.ts'

/** Returns the scopes that `static security` of a class names. */
export function scopesOf(controllerClass: ControllerClass): string[] {
  const requirements = describeController(controllerClass).security ?? []
  return [...new Set(requirements.flatMap((requirement) => Object.values(requirement).flat()))]
}

/** Returns the scopes of all classes that declare something. */
export function allScopes({ tools, resources, prompts }: Catalogue): string[] {
  const classes = new Set([
    ...[...tools.values(), ...resources.values()].map(({ operation }) => operation.controllerClass),
    ...[...prompts.values()].map(({ controllerClass }) => controllerClass),
  ])
  return [...new Set([...classes].flatMap(scopesOf))].sort()
}
