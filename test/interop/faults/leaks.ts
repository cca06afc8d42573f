/**
 * Sends mixed requests for a time and prints what the server holds, as a table of Markdown:
 *
 *     node --conditions=propylon-source test/interop/faults/leaks.ts --minutes 60 --rate 40
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Inventory } from './inventory.ts'
import { MixedLoad, ROUND } from './mixed-load.ts'
import { Program } from './program.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, rate: { type: 'string', default: '40' } },
})
const seconds = Number(values.minutes) * 60
/** Time for a round, in milliseconds. */
const pace = (1000 * ROUND) / Number(values.rate)
const program = await Program.start()
const load = new MixedLoad(program.url)
const begin = performance.now()
const elapsed = () => (performance.now() - begin) / 1000

console.log('| minutes | requests | heap MB | resident MB | descriptors | listeners | resources | objects |')
console.log('|---:|---:|---:|---:|---:|---:|---:|---|')
let rounds = 0
let printed = Number.NEGATIVE_INFINITY
while (elapsed() < seconds) {
  const start = performance.now()
  await load.round()
  // The application looks for new controllers.
  program.process.kill('SIGHUP')
  rounds += 1
  if (elapsed() - printed >= Math.min(60, seconds / 10)) {
    printed = elapsed()
    print(await program.inventory())
  }
  await sleep(Math.max(0, pace - (performance.now() - start)))
}
print(await program.inventory())
await program.stop()
process.exit()

function print({ heap, resident, descriptors, listeners, resources, objects }: Inventory): void {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1)
  const counts = Object.entries(objects).map(([name, count]) => `${name} ${count}`)
  const columns = [(elapsed() / 60).toFixed(1), rounds * ROUND, megabytes(heap), megabytes(resident)]
  console.log(`| ${[...columns, descriptors, listeners, resources, counts.join(', ')].join(' | ')} |`)
}
