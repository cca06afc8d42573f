import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { controller, framework, Project } from './project.ts'

let project: Project

beforeEach(async () => {
  project = await Project.create()
})

afterEach(() => project[Symbol.asyncDispose]())

describe('requests in flight', () => {
  it('finish on the code with which they began, including later imports', async () => {
    const slow = (word: string) =>
      controller(
        `(async function* () {
      const { word } = await import('../lib/word.ts')
      yield '${word} ' + word
      await gate.promise
      yield ' ${word} ' + (await import('../lib/word.ts')).word
    })()`,
        "import { gate } from '../lib/gate.ts'",
      )
    const word = (text: string) => `export const word = '${text}'`
    await project.write({
      'lib/gate.ts': 'export const gate = Promise.withResolvers()',
      'lib/word.ts': word('old'),
      'controllers/slow.ts': slow('old'),
      'controllers/opener.ts': controller("(gate.resolve(), '')", "import { gate } from '../lib/gate.ts'"),
    })
    await project.start()
    const response = await project.fetch('/slow')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    assert.equal((await reader?.read())?.value, 'old old')
    await project.write({ 'lib/word.ts': word('new'), 'controllers/slow.ts': slow('new') })
    await project.get('/opener')
    assert.equal((await reader?.read())?.value, ' old old')
    assert.equal((await reader?.read())?.done, true)
    assert.equal(await project.get('/slow'), 'new new new new')
  })

  it('are all served while files change, by code that is not older than the request', async () => {
    await project.write({ 'model/count.ts': 'export const count = 0' })
    await project.write({
      'controllers/hello.ts': controller('String(count)', "import { count } from '../model/count.ts'"),
    })
    await project.start()
    let written = 0
    let isDone = false
    const answers: number[] = []
    const ask = async () => {
      while (!isDone) {
        const atLeast = written
        const answer = Number(await project.get('/hello'))
        assert.ok(answer >= atLeast, `${answer} after ${atLeast} was written`)
        answers.push(answer)
      }
    }
    const clients = [ask(), ask(), ask(), ask()]
    for (let count = 1; count <= 60; count++) {
      const text = `export const count = ${count}`
      await project.write({ 'model/count.ts~': text })
      await rename(project.path('model/count.ts~'), project.path('model/count.ts'))
      written = count
      if (count % 10 === 0) {
        const routing = `// ${count}\nimport { Mapper } from '${framework}'
export const map = new Mapper().connect('/{controller}', { action: 'index' })`
        await project.write({ 'routing~': routing })
        await rename(project.path('routing~'), project.path('config/routing.ts'))
      }
      assert.equal(await project.get('/hello'), String(count))
    }
    isDone = true
    await Promise.all(clients)
    assert.ok(answers.length > 0)
  })

  it('wait while the application is loaded again', async () => {
    await project.start()
    const app = (word: string) => `await new Promise((resolve) => setImmediate(resolve))
export default (environ, start_response) => {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return ['${word}']
}`
    await project.write({ 'app.ts': app('new') })
    const answers = await Promise.all(Array.from({ length: 20 }, () => project.get('/hello')))
    assert.deepEqual(new Set(answers), new Set(['new']))
  })
})
