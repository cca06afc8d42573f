/**
 * Properties: statements about all inputs of a kind, which fast-check tries to refute.
 *
 * Inputs are JSON values, so that the corpus can keep one that failed. Bytes are text of the characters U+0000 to U+00FF.
 */
import fc from 'fast-check'

/** A value that survives JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** How to try a property. */
export interface Attempt {
  readonly seed: number
  /** Maximum number of generated inputs. */
  readonly runs: number
  /** Time after which no further input is tried. Without it only `runs` ends the attempt. */
  readonly milliseconds?: number
  /** Inputs as JSON, tried first. */
  readonly corpus?: readonly string[]
  /** Called with each input before it is tried. */
  readonly watch?: (input: Json) => void
}

/** The result of an attempt. */
export interface Outcome {
  /** Number of inputs that were tried. */
  readonly runs: number
  readonly failure?: Failure
}

/** An input that refutes a property. */
export interface Failure {
  readonly input: Json
  readonly message: string
  readonly seed: number
}

/** A statement about all inputs of a kind. */
export interface Property {
  /** The statement in the present tense. The corpus refers to it. */
  readonly name: string
  attempt(how: Attempt): Promise<Outcome>
}

/** Time after which one input counts as a hang, in milliseconds. The machine may be busy. */
export const HANG = 30_000

/** Time to look for a smaller input that fails as well, in milliseconds. */
const SHRINK = 20_000

/**
 * Returns a property.
 *
 * @param check - throws if the statement is wrong for an input.
 */
export function property<T extends Json>(
  name: string,
  input: fc.Arbitrary<T>,
  check: (input: T) => void | Promise<void>,
): Property {
  return {
    name,
    async attempt({ seed, runs, milliseconds, corpus = [], watch }) {
      let tried = 0
      const statement = fc.asyncProperty(input, async (value) => {
        tried += 1
        // Errors of callbacks crash the thread while an input near theirs is tried.
        if (tried % 256 === 0) await new Promise(setImmediate)
        watch?.(value)
        await check(value)
      })
      const parameters: fc.Parameters<[T]> = { seed, numRuns: corpus.length + runs, timeout: HANG }
      const details = await fc.check(statement, {
        ...parameters,
        examples: corpus.map((text): [T] => [JSON.parse(text)]),
        ...(milliseconds === undefined ? {} : { interruptAfterTimeLimit: milliseconds }),
      })
      if (!details.failed || details.counterexample === null) return { runs: tried }
      const { counterexample, counterexamplePath: path, errorInstance } = details
      const smaller =
        milliseconds === undefined || path === null
          ? undefined
          : await fc.check(statement, { ...parameters, path, interruptAfterTimeLimit: SHRINK })
      const [least] = smaller?.counterexample ?? counterexample
      return {
        runs: tried,
        failure: { input: least, message: messageOf(smaller?.errorInstance ?? errorInstance), seed },
      }
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Properties of one part of the framework. */
export interface Subject {
  /** Name of the file and of its corpus. */
  readonly name: string
  readonly properties: readonly Property[]
  /** A command beside Node that the properties run. */
  readonly needs?: 'python3'
  /** Starts what the properties use. */
  open?(): Promise<void>
  close?(): Promise<void>
}
