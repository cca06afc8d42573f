/**
 * Tries to refute the properties of test/fuzz/ with random inputs, for as long as you like.
 *
 *     npm run fuzz -- --minutes 30
 *     npm run fuzz -- --minutes 1 --only cookies --seed 42
 *
 * Each subject runs in a thread of its own, so that an input that hangs or crashes is found as well. An input that
 * fails is made smaller, printed, and added to test/fuzz/corpus/, which `npm test` repeats.
 */
import { parseArgs } from 'node:util'
import { corpusOf } from '../test/fuzz/corpus.ts'
import { subjects } from '../test/fuzz/subjects.ts'
import { Supervisor } from '../test/fuzz/supervisor.ts'

const names = subjects.map(({ name }) => name)
const { minutes, only, seed, jobs } = options()
const chosen = subjects.filter(({ name }) => only === undefined || only === name)
const supervisor = new Supervisor({ seed, milliseconds: (minutes * 60_000 * jobs) / chosen.length })
console.log(`seed ${seed}, ${minutes} minutes for ${chosen.length} subjects, ${jobs} at a time`)

const waiting = [...chosen]
await Promise.all(
  Array.from({ length: jobs }, async () => {
    for (let subject = waiting.shift(); subject !== undefined; subject = waiting.shift()) {
      await supervisor.try(subject)
    }
  }),
)

let failures = 0
for (const { subject, property, runs, failure } of supervisor.results) {
  console.log(`${failure === undefined ? '  ok' : 'FAIL'} ${subject}: ${property}, ${runs} inputs`)
  if (failure === undefined) continue
  failures += 1
  console.log(`     input ${JSON.stringify(failure.input)}\n     ${failure.message.replaceAll('\n', '\n     ')}`)
}
const kept = names.reduce((sum, name) => sum + corpusOf(name).length, 0)
const tried = supervisor.results.reduce((sum, { runs }) => sum + runs, 0)
console.log(`${tried} inputs, ${failures} failures, ${kept} inputs in the corpus`)
process.exit(failures === 0 ? 0 : 1)

function options() {
  const usage = (problem: string): never => {
    console.error(
      `${problem}\nUsage: npm run fuzz -- --minutes N [--only NAME] [--seed S] [--jobs N]\nNames: ${names.join(', ')}`,
    )
    process.exit(2)
  }
  const given = (() => {
    try {
      return parseArgs({
        options: {
          minutes: { type: 'string', default: '1' },
          only: { type: 'string' },
          seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
          jobs: { type: 'string', default: '1' },
        },
      }).values
    } catch (error) {
      return usage(error instanceof Error ? error.message : String(error))
    }
  })()
  if (!(Number(given.minutes) > 0)) usage(`--minutes is ${given.minutes}. Give a number above 0.`)
  if (!/^\d+$/.test(given.seed)) usage(`--seed is ${given.seed}. Give a whole number.`)
  if (!/^[1-9]\d?$/.test(given.jobs)) usage(`--jobs is ${given.jobs}. Give a number from 1 to 99.`)
  if (given.only !== undefined && !names.includes(given.only)) usage(`There is no subject ${given.only}.`)
  return {
    minutes: Number(given.minutes),
    seed: Number(given.seed) | 0,
    jobs: Number(given.jobs),
    only: given.only,
  }
}
