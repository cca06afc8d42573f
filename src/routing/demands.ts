/**
 * What a route asks of the values in a path, beside their place in it.
 *
 * @module
 */

import type { ControllerNames } from './controllers.ts'
import { type Parameter, type Variant, valueIn } from './pattern.ts'
import { literalForm } from './percent.ts'
import type { Route } from './route.ts'

/** The demands of one route, or of several that ask the same: they are then examined once for all. */
export class Demands {
  readonly subDomain: boolean | readonly string[] | undefined
  readonly parameters: readonly Parameter[]
  /** True when any text will do that is not empty: what names a controller has been found in the tree. */
  readonly #plain: boolean

  constructor(route: Route, variant: Variant) {
    this.subDomain = route.subDomain
    this.parameters = variant.parameters
    this.#plain = variant.parameters.every(
      ({ requirement, separator, reserved }) => requirement === null && separator === '' && reserved === null,
    )
  }

  /** Whether two ask the same; when in doubt not. */
  equals(other: Demands): boolean {
    return (
      this.subDomain === other.subDomain &&
      this.parameters.length === other.parameters.length &&
      this.parameters.every((parameter, index) => asksTheSame(parameter, other.parameters[index]))
    )
  }

  /** Whether so many unfolded texts fit the parameters. */
  accept(
    texts: readonly string[],
    count: number,
    escaped: boolean,
    controllers: ControllerNames | null,
  ): boolean {
    const { parameters } = this
    if (count !== parameters.length) return false
    for (let index = 0; index < parameters.length; index++) {
      const parameter = parameters[index]
      const text = texts[index]
      if (parameter === undefined || text === undefined) return false
      if (this.#plain ? text === '' : !acceptsText(parameter, text, escaped, controllers)) return false
    }
    return true
  }
}

function asksTheSame(one: Parameter, other: Parameter | undefined): boolean {
  return (
    one.requirement === other?.requirement &&
    one.controller === other.controller &&
    one.separator === other.separator &&
    one.reserved === other.reserved &&
    one.suffixes?.source === other.suffixes?.source &&
    one.suffixes?.flags === other.suffixes?.flags
  )
}

/** Whether a parameter accepts what stands for it in an unfolded path. */
export function acceptsText(
  parameter: Parameter,
  text: string,
  escaped: boolean,
  controllers: ControllerNames | null,
): boolean {
  if (!parameter.controller || controllers === null) return valueIn(parameter, text, escaped) !== undefined
  const name = controllers.find(escaped ? literalForm(text) : text)
  return name !== undefined && valueIn(parameter, name, false) !== undefined
}
