/**
 * A test runner of Stryker that runs `node:test` files in its own process: a mutant costs the time of the test files that
 * cover it, without the start of a process.
 *
 * Each mutant gets new instances of all modules, so that nothing is left of the mutants before it. Coverage is measured for
 * whole files, because the tests of a file share what the first of them computes.
 *
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { registerGenerations } from './generations.ts'
import { type CollectedTest, collect, type Suite } from './node-test.ts'

/** The part of Stryker's options that the runner reads. */
interface Options {
  readonly inProcess: {
    /** Paths below the working directory. */
    readonly testFiles: readonly string[]
    /** Modules to import before the tests, so that what they run at that time is not taken for a part of a test. */
    readonly modules: readonly string[]
  }
}

/** State that the mutated code uses. */
interface MutationState {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  mutantCoverage?: unknown
}

interface MutantRun {
  readonly activeMutant: { readonly id: string }
  readonly testFilter?: readonly string[]
  readonly hitLimit?: number
}

/** Results of the run without a mutant. */
interface Results {
  /** The test files, the fastest first, and the time that each takes in milliseconds. */
  readonly files: readonly (readonly [file: string, time: number])[]
  /** The tests that fail, because the mutated sources differ from the originals. */
  readonly failing: readonly string[]
}

/** File in the working directory for the results of the run without a mutant, which the processes share. */
const RESULTS = 'in-process-results.json'
/**
 * A mutant can make a test wait for ever. The limit for a file is a multiple of its time without a mutant, in milliseconds.
 * Stryker ends loops that do not wait.
 */
const [MIN_LIMIT, LIMIT_FACTOR] = [5000, 5]
/** The number of the status of a test that passes, in Stryker's API. */
const SUCCESS = 0

const state: MutationState = Object.assign(globalThis, { __stryker__: {} }).__stryker__

interface Failure {
  readonly error: unknown
}

class InProcessRunner {
  readonly #options: Options['inProcess']
  #urlOf: (file: string, generation: number) => string = (file) => file
  #generation = 0
  /** Receives an error that nothing has caught. */
  #fail: (error: unknown) => void = () => {}

  constructor(options: Options) {
    this.#options = options.inProcess
  }

  capabilities() {
    return { reloadEnvironment: true }
  }

  async init() {
    this.#urlOf = registerGenerations(process.cwd())
    // The smallest counterexample is of no use here, and it takes long to find. A score does not depend on chance.
    fc.configureGlobal({ endOnFailure: true, seed: 1 })
    const fail = (error: unknown) => {
      const generation = /\?generation=(\d+)/.exec(error instanceof Error ? (error.stack ?? '') : '')?.[1]
      // Ignores errors of an earlier mutant's code.
      if (generation === undefined || Number(generation) === this.#generation) this.#fail(error)
    }
    process.on('uncaughtException', fail)
    process.on('unhandledRejection', fail)
  }

  /** Runs all tests without a mutant, to find out which mutants each file covers. */
  async dryRun() {
    this.#begin(undefined, undefined)
    const mutantCoverage = { static: {}, perTest: {} }
    state.mutantCoverage = mutantCoverage
    for (const module of this.#options.modules) await import(this.#urlOf(module, this.#generation))
    const tests: { id: string; name: string; status: number; timeSpentMs: number }[] = []
    const failing: string[] = []
    for (const file of this.#options.testFiles) {
      const startedAt = performance.now()
      state.currentTestId = file
      await this.#run(await this.#load(file), (name, failure) => {
        console.error(`Left out, because it fails without a mutant: ${file}: ${name}\n`, failure.error)
        failing.push(`${file}: ${name}`)
        return true
      })
      tests.push({ id: file, name: file, status: SUCCESS, timeSpentMs: performance.now() - startedAt })
    }
    const times = tests.map(({ id, timeSpentMs }) => [id, timeSpentMs] as const)
    const files = times.sort(([, a], [, b]) => a - b)
    writeFileSync(RESULTS, JSON.stringify({ files, failing } satisfies Results))
    return { status: 'complete', tests, mutantCoverage }
  }

  /** Runs the test files that cover a mutant until a test fails. */
  async mutantRun({ activeMutant, testFilter, hitLimit }: MutantRun) {
    this.#begin(activeMutant.id, hitLimit)
    state.mutantCoverage = { static: {}, perTest: {} }
    const { files, failing }: Results = JSON.parse(readFileSync(RESULTS, 'utf8'))
    const selected = files.filter(([file]) => testFilter?.includes(file) ?? true)
    for (const [index, [file, time]] of selected.entries()) {
      let failureMessage: string | undefined
      try {
        const tests = await this.#load(file)
        const usable = tests.filter(({ name }) => !failing.includes(`${file}: ${name}`))
        const run = this.#run(usable, (name, failure) => {
          failureMessage = `${name}: ${String(failure.error)}`
          return false
        })
        if (await isLate(run, MIN_LIMIT + LIMIT_FACTOR * time)) {
          return { status: 'timeout', reason: `${file} takes too long` }
        }
      } catch (error) {
        failureMessage = `import: ${String(error)}`
      }
      if (state.hitCount !== undefined && state.hitLimit !== undefined && state.hitCount > state.hitLimit) {
        return { status: 'timeout', reason: `Hit limit reached (${state.hitCount}/${state.hitLimit})` }
      }
      if (failureMessage !== undefined) {
        return { status: 'killed', nrOfTests: index + 1, killedBy: [file], failureMessage }
      }
    }
    return { status: 'survived', nrOfTests: selected.length }
  }

  #begin(mutant: string | undefined, hitLimit: number | undefined): void {
    this.#generation += 1
    state.activeMutant = mutant
    state.currentTestId = undefined
    state.hitLimit = hitLimit
    state.hitCount = hitLimit === undefined ? undefined : 0
    // For the workers that tests start.
    if (mutant === undefined) delete process.env.__STRYKER_ACTIVE_MUTANT__
    else process.env.__STRYKER_ACTIVE_MUTANT__ = mutant
  }

  #load(file: string): Promise<readonly CollectedTest[]> {
    return collect(() => this.#guarded(() => import(this.#urlOf(file, this.#generation))))
  }

  /**
   * Runs tests of one file with the hooks around them.
   *
   * @param report - receives the failure of a test. Returns false to end the run.
   */
  async #run(
    tests: readonly CollectedTest[],
    report: (name: string, failure: Failure) => boolean,
  ): Promise<void> {
    const entered = new Set<Suite>()
    for (const [index, test] of tests.entries()) {
      const { name, suites } = test
      const failure = await this.#attempt(async () => {
        for (const suite of suites) {
          if (!entered.has(suite)) for (const hook of suite.before) await hook()
          entered.add(suite)
        }
        for (const suite of suites) for (const hook of suite.beforeEach) await hook()
        await test.run()
      })
      const goesOn = failure === undefined || report(name, failure)
      const others = goesOn ? tests.slice(index + 1) : []
      const second = await this.#attempt(async () => {
        for (const suite of suites.toReversed()) {
          for (const hook of suite.afterEach) await hook()
          const isDone = !others.some((other) => other.suites.includes(suite))
          if (isDone) for (const hook of suite.after) await hook()
        }
      })
      if (!goesOn || (second !== undefined && failure === undefined && !report(name, second))) return
    }
  }

  /** Calls a function. Returns its error, or an error that nothing catches meanwhile. */
  async #attempt(run: () => Promise<unknown>): Promise<Failure | undefined> {
    try {
      await this.#guarded(run)
      return undefined
    } catch (error) {
      return { error }
    }
  }

  /** Calls a function. Throws its error, or an error that nothing catches meanwhile. */
  async #guarded<T>(run: () => Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    this.#fail = reject
    promise.catch(() => {})
    try {
      const result = await Promise.race([run(), promise])
      // Rejections are reported after the microtasks that follow them.
      await Promise.race([new Promise((resolve) => setImmediate(resolve)), promise])
      return result
    } finally {
      this.#fail = () => {}
    }
  }
}

// Tests can replace the global function.
const { setTimeout, clearTimeout } = globalThis

/** Returns true if a promise is not settled within a number of milliseconds. */
async function isLate(promise: Promise<unknown>, limit: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, limit, true)
  try {
    return await Promise.race([promise.then(() => false), late])
  } finally {
    clearTimeout(timer)
  }
}

const factory = Object.assign((options: Options) => new InProcessRunner(options), { inject: ['options'] })

export const strykerPlugins = [{ kind: 'TestRunner', name: 'in-process', factory }]
