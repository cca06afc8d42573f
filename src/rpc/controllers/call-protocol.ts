/** Runs a checked call within its hooks, whatever the face. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Controller } from '../../controllers/call-state.ts'
import type { Protocol } from '../../controllers/lifecycle.ts'
import type { CheckedCall } from './check-call.ts'
import type { Dialect } from './dialect.ts'
import { isLongCall, type LongCall, resultOf } from './long-call.ts'
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
    const result: unknown = procedure.method.apply(controller, [...args])
    const schema = typeof returns === 'string' ? undefined : returns
    if (isLongCall(result))
      return this.#long(controller, schema === undefined ? result : convertedLast(result, schema))
    return schema === undefined ? result : converted(result, schema)
  }

  /** Returns the answer with the events of a method, or runs it to its end if the client is not to see them. */
  #long(controller: Controller, steps: LongCall): Promise<unknown> | Streamed<T> {
    const answer = this.#dialect.stream?.(steps, this.#call)
    return answer === undefined ? resultOf(steps, controller.request.signal) : new Streamed(answer)
  }

  answer(_controller: Controller, result: unknown): T {
    if (result instanceof Streamed) return result.answer
    const failure = failureReturned(result)
    return failure === undefined ? this.#dialect.result(result, this.#call) : this.#dialect.failure(failure)
  }

  answerError(_controller: Controller, error: unknown): T {
    const failure = failureThrown(error)
    if (failure === undefined) throw error
    return this.#dialect.failure(failure)
  }
}

/** An answer whose method still runs. */
class Streamed<T> {
  readonly answer: T

  constructor(answer: T) {
    this.answer = answer
  }
}

async function* convertedLast(steps: LongCall, schema: StandardSchemaV1): LongCall {
  return converted(yield* steps, schema)
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
