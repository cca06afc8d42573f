/** Counts the steps of `fillForm` in a thread of its own, because counting makes all code of a thread slower. */
import { Session } from 'node:inspector/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { fillForm } from 'propylon/forms'

/** Returns for each HTML the number of times that a block of the modules of `propylon/forms` ran while its fields were filled. */
export async function countFillSteps(pages: readonly string[]): Promise<readonly number[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>()
  const worker = new Worker(new URL(import.meta.url), { workerData: pages })
  worker.once('message', resolve).once('error', reject)
  return promise
}

async function stepsOf(session: Session, html: string): Promise<number> {
  await session.post('Profiler.takePreciseCoverage') // Sets the counters to 0.
  fillForm(html, { a: 'x' }, { a: 'bad' })
  const { result } = await session.post('Profiler.takePreciseCoverage')
  return result
    .filter(({ url }) => url.includes('/src/http/forms/'))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)))
    .reduce((sum, count) => sum + count, 0)
}

if (!isMainThread && parentPort !== null) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const steps: number[] = []
  for (const html of workerData as readonly string[]) steps.push(await stepsOf(session, html))
  parentPort.postMessage(steps)
  session.disconnect()
}
