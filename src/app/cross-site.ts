import type { ControllerClass } from '../controllers/controller-class.ts'
import { inheritedStatic } from '../controllers/statics.ts'

/**
 * Returns true if `static crossSite = { action: 'allow' }` of a controller class allows unsafe requests from other sites
 * to an action. Dashes and dots in the action's name are read as underscores: `stock.find` is `stock_find`.
 *
 * @throws TypeError - if the record has a value other than `'allow'` and `'refuse'`.
 */
export function allowsCrossSite(controllerClass: ControllerClass, action: unknown): boolean {
  const name = typeof action === 'string' ? action.replaceAll(/[-.]/g, '_') : 'index'
  const value = inheritedStatic(controllerClass, 'crossSite', name)
  if (value === undefined || value === 'refuse') return false
  if (value === 'allow') return true
  throw new TypeError(
    `${controllerClass.name}.crossSite.${name} is ${JSON.stringify(value)}. Use 'allow' or 'refuse'.`,
  )
}
