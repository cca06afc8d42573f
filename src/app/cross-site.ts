import type { ControllerClass } from '../controllers/metadata.ts'
import { inheritedStatic } from '../controllers/statics.ts'

/**
 * Whether `static crossSite = { action: 'allow' }` of a controller class lets pages of other sites send unsafe requests
 * to an action. A dash in the name stands for an underscore.
 *
 * @throws TypeError - if the record has a value other than `'allow'` and `'refuse'`.
 */
export function allowsCrossSite(controllerClass: ControllerClass, action: unknown): boolean {
  const name = typeof action === 'string' ? action.replaceAll('-', '_') : 'index'
  const value = inheritedStatic(controllerClass, 'crossSite', name)
  if (value === undefined || value === 'refuse') return false
  if (value === 'allow') return true
  throw new TypeError(
    `${controllerClass.name}.crossSite.${name} is ${JSON.stringify(value)}. Use 'allow' or 'refuse'.`,
  )
}
