/** Timing of small things: nanoseconds for one call, the median of many batches and the least of them. */

/** What keeps the compiler from leaving a call out. */
let sink: unknown

/** What a call cost. */
export interface Timing {
  readonly name: string
  /** Nanoseconds. */
  readonly median: number
  readonly least: number
}

const BATCHES = 25
const BATCH_MILLISECONDS = 20
const WARM_UP_MILLISECONDS = 500

/** Times a synchronous function. */
export function time(name: string, run: () => unknown): Timing {
  const once = (count: number) => {
    const begin = process.hrtime.bigint()
    for (let index = 0; index < count; index++) sink = run()
    return Number(process.hrtime.bigint() - begin)
  }
  return settle(name, Array.from({ length: BATCHES }, batch(once, calibrate(once))))
}

/** Times a function that answers a promise; one call after the other. */
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
  // The optimising compiler works beside us: it gets time to finish, also on a busy machine.
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

/** Prints timings as a table in Markdown. */
export function printTimings(title: string, timings: readonly Timing[]): void {
  console.log(`\n## ${title}\n\n| what | median ns | least ns |\n| --- | --: | --: |`)
  for (const { name, median, least } of timings)
    console.log(`| ${name} | ${digits(median)} | ${digits(least)} |`)
  if (sink === time) console.log()
}

function digits(nanoseconds: number): string {
  return nanoseconds < 100 ? nanoseconds.toFixed(1) : nanoseconds.toFixed(0)
}
