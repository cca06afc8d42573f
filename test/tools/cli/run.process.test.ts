import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import { writeTree } from './command-line.ts'
import { createdProject, propylon, start } from './command-process.ts'

const FILES = {
  '.env': 'GREETING=hello\n',
  'app.ts': `import { FrameworkApp, Mapper } from 'propylon'
const app = new FrameworkApp({ map: new Mapper(), controllers: {} })
app.onShutdown(() => console.log('closed'))
export default app
`,
  'done.ts': `import type { Task } from 'propylon'
const task: Task = ({ app, signal, words }) => {
  console.log(process.env.GREETING, words.join(), signal.aborted, typeof app.mapper)
}
export default task
`,
  'worker.ts': `import { setTimeout } from 'node:timers/promises'
import type { Task } from 'propylon'
const task: Task = async ({ signal }) => {
  console.log('working')
  while (!signal.aborted) await setTimeout(1000, undefined, { signal }).catch(() => {})
  console.log('finished')
}
export default task
`,
  'waiting.ts': `import { setTimeout } from 'node:timers/promises'
export default async function ({ signal }: { signal: AbortSignal }) {
  console.log('working')
  await setTimeout(1e6, undefined, { signal })
}
`,
  'stuck.ts': `export default () => new Promise(() => {
  console.log('working')
  setInterval(() => {}, 1000)
})
`,
  'failing.ts': `export default async () => {
  throw new Error('no queue')
}
`,
  'none.ts': 'export const task = () => {}\n',
  'broken.ts': `import './missing.ts'\n`,
  'uninstalled.ts': `import dayjs from 'dayjs-of-nobody'\nexport default () => console.log(dayjs)\n`,
  'unparsed.ts': 'export default () => {{\n',
}

const project = createdProject().then((cwd) => {
  writeTree(cwd, FILES)
  return cwd
})

/** Starts a task, sends a signal when it works, and returns the status and what it has printed. */
async function stopped(file: string, signal: 'SIGTERM' | 'SIGINT', ...options: string[]) {
  const child = start(['run', file, ...options], { cwd: await project })
  after(() => child.kill('SIGKILL'))
  let output = ''
  child.stderr.on('data', (text: string) => {
    output += text
  })
  child.stdout.on('data', (text: string) => {
    output += text
    if (text.includes('working')) child.kill(signal)
  })
  const [status] = await once(child, 'close')
  return { status, output }
}

describe('propylon run', () => {
  test('passes the application, the words and the settings, and closes what the application has opened', async () => {
    const { status, stdout } = await propylon(['run', 'done.ts', 'a', 'b c'], { cwd: await project })
    assert.deepEqual([status, stdout], [0, 'hello a,b c false object\nclosed\n'])
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`lets the function finish on ${signal}`, async () =>
      assert.deepEqual(await stopped('worker.ts', signal), {
        status: 0,
        output: 'working\nfinished\nclosed\n',
      }))
  }

  test('ends with 0 when the function was waiting with the signal', async () =>
    assert.deepEqual(await stopped('waiting.ts', 'SIGTERM'), { status: 0, output: 'working\nclosed\n' }))

  test('ends with 1 if the function does not stop in time', async () => {
    const { status, output } = await stopped('stuck.ts', 'SIGTERM', '--stop-timeout', '0.05')
    assert.equal(status, 1)
    assert.match(output, /stuck\.ts did not stop within 0\.05 s/)
  })

  for (const [file, expected, message] of [
    ['failing.ts', 1, /no queue/],
    [
      'broken.ts',
      1,
      /^propylon: broken\.ts does not load: broken\.ts:1:9: [^\n]*missing\.ts[^\n]*; correct the path\n$/,
    ],
    [
      'uninstalled.ts',
      1,
      /^propylon: uninstalled\.ts does not load: [^\n]*:1:\d+: [^\n]*; run 'npm install dayjs-of-nobody'\n$/,
    ],
    ['unparsed.ts', 1, /^propylon: unparsed\.ts does not load: unparsed\.ts:\d+: [^\n]*\n$/],
    ['none.ts', 2, /none\.ts exports no function by default; export one/],
  ] as const) {
    test(`ends with ${expected} for ${file}`, async () => {
      const { status, stderr } = await propylon(['run', file], { cwd: await project })
      assert.equal(status, expected)
      assert.match(stderr, message)
    })
  }
})
