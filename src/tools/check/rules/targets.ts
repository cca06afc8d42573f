/** Methods that decorators and bodies name. */
import { nearest } from '../../../base/suggest.ts'
import { otherPage } from '../../../controllers/forms/other-page.ts'
import { didYouMean } from '../finding.ts'
import type { ControllerModel } from '../model.ts'
import type { Wiring } from '../wiring.ts'

/** A name of nothing: the end of a message, and the correction. */
interface Missing {
  readonly problem: string
  readonly fix: string
}

/** Returns the problem of a method that a class certainly lacks. */
export function missingMethod(model: ControllerModel, name: string): Missing | undefined {
  if (!model.isComplete || model.methods.has(name)) return undefined
  const problem = `the method "${name}", which ${model.className} does not have`
  return missing('method', problem, name, model.methods.keys())
}

/** Returns the problem of an option `form`: a method of the class, or a page of another one. */
export function missingForm(wiring: Wiring, model: ControllerModel, form: string): Missing | undefined {
  const page = otherPage(form)
  if (page === undefined) return missingMethod(model, form)
  const entry = wiring.entries.get(page.controller)
  if (entry?.kind === 'class') return missingMethod(entry.model, page.action)
  if (entry !== undefined) return undefined
  const problem = `the controller "${page.controller}", which does not exist`
  return missing('controller', problem, page.controller, wiring.entries.keys())
}

function missing(kind: string, problem: string, name: string, known: Iterable<string>): Missing {
  return { problem, fix: didYouMean(nearest(name, known), `Write the ${kind}, or correct the name.`) }
}
