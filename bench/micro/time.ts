/** Measures short functions: nanoseconds per call, the median and the minimum of many batches. */

/** Receives all results, so that the compiler does not eliminate the calls. */
let sink: unknown

/** The time per call of a function. */
export interface Timing {
  readonly name: string
  /** Nanoseconds, like `least`. */
  readonly median: number
  readonly least: number
}

const BATCHES = 25
const BATCH_MILLISECONDS = 20
const WARM_UP_MILLISECONDS = 500

/** Measures a synchronous function. */
export function time(name: string, run: () => unknown): Timing {
  const once = (count: number) => {
    const begin = process.hrtime.bigint()
    for (let index = 0; index < count; index++) sink = run()
    return Number(process.hrtime.bigint() - begin)
  }
  return settle(name, Array.from({ length: BATCHES }, batch(once, calibrate(once))))
}

/** Measures a function that returns a promise. Each call waits for the previous one. */
export async function timeAsync(name: string, run: () => Promise<unknown>): Promise<Timing> {
  const once = async (count: number) => {
    const begin = process.hrtime.bigint()
    for (let index = 0; index < count; index++) sink = await run()
    return Number(process.hrtime.bigint() - begin)
  }
  let count = 16
  while ((await once(count)) < BATCH_MILLISECONDS * 1e6) count *= 2
  const times: number[] = []
  for (let index = 0; index < BATCHES; index++) times.push((await once(count)) / count)
  return settle(name, times)
}

function calibrate(once: (count: number) => number): number {
  // The optimizing compiler runs in another thread. The warm-up gives it time to finish on a busy machine.
  const ready = performance.now() + WARM_UP_MILLISECONDS
  while (performance.now() < ready) once(1000)
  let count = 16
  while (once(count) < BATCH_MILLISECONDS * 1e6) count *= 2
  return count
}

function batch(once: (count: number) => number, count: number): () => number {
  return () => once(count) / count
}

function settle(name: string, times: number[]): Timing {
  times.sort((a, b) => a - b)
  return { name, median: times[times.length >> 1] ?? 0, least: times[0] ?? 0 }
}

/** Prints a Markdown table of timings. */
export function printTimings(title: string, timings: readonly Timing[]): void {
  console.log(`\n## ${title}\n\n| what | median ns | least ns |\n| --- | --: | --: |`)
  for (const { name, median, least } of timings)
    console.log(`| ${name} | ${digits(median)} | ${digits(least)} |`)
  if (sink === time) console.log()
}

function digits(nanoseconds: number): string {
  return nanoseconds < 100 ? nanoseconds.toFixed(1) : nanoseconds.toFixed(0)
}
