/** Runs a checked call within its hooks, whatever the face. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Controller } from '../../controllers/call-state.ts'
import type { Protocol } from '../../controllers/lifecycle.ts'
import type { CheckedCall } from './check-call.ts'
import type { Dialect } from './dialect.ts'
import { failureReturned, failureThrown } from './rpc-failure.ts'

/** A call whose answer a face writes. */
export class CallProtocol<T> implements Protocol<T> {
  readonly #call: CheckedCall
  readonly #dialect: Dialect<T>

  constructor(call: CheckedCall, dialect: Dialect<T>) {
    this.#call = call
    this.#dialect = dialect
  }

  run(controller: Controller): unknown {
    const { procedure, args, returns } = this.#call
    const result = procedure.method.apply(controller, [...args])
    return returns === undefined || typeof returns === 'string' ? result : converted(result, returns)
  }

  answer(_controller: Controller, result: unknown): T {
    const failure = failureReturned(result)
    return failure === undefined ? this.#dialect.result(result, this.#call) : this.#dialect.failure(failure)
  }

  answerError(_controller: Controller, error: unknown): T {
    const failure = failureThrown(error)
    if (failure === undefined) throw error
    return this.#dialect.failure(failure)
  }
}

/**
 * Converts a result by the schema that its signature declares.
 *
 * @throws TypeError - the schema refuses it, which is an error of the method.
 */
async function converted(returned: unknown, schema: StandardSchemaV1): Promise<unknown> {
  const result: unknown = await returned
  if (failureReturned(result) !== undefined) return result
  const { issues, ...success } = await schema['~standard'].validate(result)
  if (issues === undefined) return 'value' in success ? success.value : undefined
  const texts = issues.map(({ message }) => message).join('; ')
  throw new TypeError(`The result does not conform to the schema of the signature: ${texts}`)
}
