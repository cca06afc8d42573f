import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createdProject, propylon } from './command-process.ts'

describe('shell, from a pipe', () => {
  let cwd: string
  before(async () => {
    cwd = await createdProject()
    await propylon(['controller', 'hello'], { cwd })
  })

  const table: [name: string, input: string, output: string, status?: number][] = [
    ['prints each result', '1 + 1\n"x"\n', "2\n'x'\n"],
    [
      'has app, map, url and testApp',
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
    [
      'goes on after an error, and ends with status 1',
      'nothing\n5\n',
      'Uncaught ReferenceError: nothing is not defined\n5\n',
      1,
    ],
    ['goes on after a failed await', 'await Promise.reject(new RangeError("no"))\n5\n', 'Uncaught RangeError: no', 1],
    [
      'ends with status 1 after an error in a last line without its line feed',
      '5\nnothing',
      '5\nUncaught ReferenceError: nothing is not defined\n',
      1,
    ],
    ['ends with status 1 when undefined is thrown', 'throw undefined\n', 'Uncaught undefined\n', 1],
    ['keeps the status of process.exit', 'process.exit(3)\n', '', 3],
    ['ends at .exit', '1\n.exit\n2\n', '1\n'],
    ['runs the last line without its line feed', '7', '7\n'],
    [
      'awaits in a last line without its line feed',
      '7\nawait new Promise((done) => setTimeout(done, 30, 8))',
      '7\n8\n',
    ],
    ['runs a last statement over several lines without its line feed', '[\n1,\n2\n].length', '2\n'],
    ['does nothing with nothing', '', ''],
    ['imports files of the project', '(await import("./lib/base.ts")).BaseController.name\n', "'BaseController'\n"],
  ]
  for (const [name, input, output, expected = 0] of table) {
    test(name, async () => {
      const { status, stdout, stderr } = await propylon(['shell'], { cwd, input })
      assert.deepEqual([status, stderr], [expected, ''])
      if (output.endsWith('\n') || output === '') assert.equal(stdout, output)
      else assert.ok(stdout.startsWith(output) && stdout.endsWith('5\n'), stdout)
    })
  }

  test('ends with status 1 when an error is thrown later', async () => {
    const input =
      'void setTimeout(() => { throw new RangeError("late") })\nawait new Promise((done) => setTimeout(done, 30))\n'
    const { status, stdout } = await propylon(['shell'], { cwd, input })
    assert.equal(status, 1)
    assert.match(stdout, /Uncaught RangeError: late/)
  })

  test('refuses input that ends inside a statement', async () => {
    const { status, stdout, stderr } = await propylon(['shell'], { cwd, input: '1\nfunction f() {\n' })
    assert.deepEqual([status, stdout], [1, '1\n'])
    assert.equal(stderr, 'propylon: the input ends inside a statement\n')
  })
})
