import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createdProject, propylon } from './command-line.ts'

describe('shell, from a pipe', () => {
  let cwd: string
  before(async () => {
    cwd = await createdProject()
    await propylon(['controller', 'hello'], { cwd })
  })

  const table: [name: string, input: string, output: string][] = [
    ['prints each result', '1 + 1\n"x"\n', "2\n'x'\n"],
    [
      'has app, map, url and testApp at hand',
      '[app, map, url, testApp].map((x) => typeof x).join()\nurl("home")',
      "'object,object,function,object'\n'/'\n",
    ],
    [
      'awaits, and keeps the order',
      'await new Promise((done) => setTimeout(done, 30, "first"))\n"second"\n',
      "'first'\n'second'\n",
    ],
    ['sends requests in process', '(await testApp.get("/hello")).text\n', "'Hello World'\n"],
    ['keeps what a line defines', 'const a = await Promise.resolve(3)\na * 2\n', 'undefined\n6\n'],
    ['reads what goes over several lines', 'function f() {\nreturn 4\n}\nf()\n', 'undefined\n4\n'],
    ['goes on after an error', 'nothing\n5\n', 'Uncaught ReferenceError: nothing is not defined\n5\n'],
    [
      'goes on after a failed await',
      'await Promise.reject(new RangeError("no"))\n5\n',
      'Uncaught RangeError: no',
    ],
    ['ends at .exit', '1\n.exit\n2\n', '1\n'],
    ['runs the last line without its line feed', '7', '7\n'],
    ['does nothing with nothing', '', ''],
    [
      'imports files of the project',
      '(await import("./lib/base.ts")).BaseController.name\n',
      "'BaseController'\n",
    ],
  ]
  for (const [name, input, output] of table) {
    test(name, async () => {
      const { status, stdout, stderr } = await propylon(['shell'], { cwd, input })
      assert.deepEqual([status, stderr], [0, ''])
      if (output.endsWith('\n') || output === '') assert.equal(stdout, output)
      else assert.ok(stdout.startsWith(output) && stdout.endsWith('5\n'), stdout)
    })
  }
})
