/** Runs a checked call within its hooks, whatever the face. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Controller } from '../../controllers/call-state.ts'
import type { Protocol } from '../../controllers/lifecycle.ts'
import type { CheckedCall } from './check-call.ts'
import type { Procedure } from './procedures.ts'
import { type Failure, failureReturned, failureThrown } from './rpc-failure.ts'

/** The steps of a method that reports its progress, an async generator: the events that it yields, then its result. */
export type LongCall = AsyncGenerator<unknown, unknown, undefined>

/** The part of a face that differs by protocol: finding procedures, and writing results and failures as answers of type `T`. */
export interface Dialect<T> {
  /** Returns the procedure for a name that a client sent, which may be of any length. */
  find(name: string): Procedure | undefined
  /** Writes the result. An error that it throws is an unexpected error of the call. */
  result(value: unknown, call: CheckedCall): T
  /**
   * Writes the events and the result of a method that reports its progress, after its hooks have run. Undefined if the client is not
   * to see the events. Left out by protocols that have none.
   */
  stream?(steps: LongCall, call: CheckedCall): T | undefined
  /** Writes the failure of a call in place of its result. */
  failure(failure: Failure): T
}

/** Returns the protocol of a call whose answer a face writes. */
export function callProtocol<T>(call: CheckedCall, dialect: Dialect<T>): Protocol<T> {
  /** Returns the answer with the events of a method, or runs it to its end if the client is not to see them. */
  const long = (controller: Controller, steps: LongCall) => {
    const answer = dialect.stream?.(steps, call)
    return answer === undefined ? resultOf(steps, controller.request.signal) : new Streamed(answer)
  }
  return {
    run(controller) {
      const { procedure, args, returns } = call
      const result: unknown = procedure.method.apply(controller, [...args])
      const schema = typeof returns === 'string' ? undefined : returns
      if (isLongCall(result))
        return long(controller, schema === undefined ? result : convertedLast(result, schema))
      return schema === undefined ? result : converted(result, schema)
    },
    answer(_controller, result) {
      if (result instanceof Streamed) return result.answer
      const failure = failureReturned(result)
      return failure === undefined ? dialect.result(result, call) : dialect.failure(failure)
    },
    answerError(_controller, error) {
      const failure = failureThrown(error)
      if (failure === undefined) throw error
      return dialect.failure(failure)
    },
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

function isLongCall(returned: unknown): returned is LongCall {
  return Object.prototype.toString.call(returned) === '[object AsyncGenerator]'
}

/**
 * Runs a method to its end, for clients that do not see its events.
 *
 * @throws the reason of `signal`, which ends the method at its next event.
 */
async function resultOf(call: LongCall, signal: AbortSignal): Promise<unknown> {
  let next = await call.next()
  while (next.done !== true) {
    if (signal.aborted) {
      await call.return(undefined)
      signal.throwIfAborted()
    }
    next = await call.next()
  }
  return next.value
}
