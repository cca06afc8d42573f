import type { CheckedCall } from './check-call.ts'
import type { LongCall } from './long-call.ts'
import type { Procedure } from './procedures.ts'
import type { Failure } from './rpc-failure.ts'

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
  /** Writes the end of a call without a result. */
  failure(failure: Failure): T
}
