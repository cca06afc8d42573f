/** A route names a controller that does not exist. Thrown in debug mode; in production the answer is 404. */
export class ControllerNotFound extends Error {
  override readonly name = 'ControllerNotFound'
  readonly code = 'CONTROLLER_NOT_FOUND'
  /** The status of the page that shows this error. */
  readonly status = 404

  constructor(controller: string | null | undefined, route: string, known: readonly string[]) {
    super(
      controller === null || controller === undefined
        ? `The route ${route} names no controller. Give it one: { controller: '…' }`
        : `The route ${route} names the controller "${controller}", which is not there (there is ${known.join(', ') || 'none'}). Write it, or correct the route`,
    )
  }
}
