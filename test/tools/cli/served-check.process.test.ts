/** `propylon serve --reload` prints the findings of the check after each change. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createdProject, start } from './command-process.ts'

const RIGHT = `import { BaseController } from '../lib/base.ts'

export class HelloController extends BaseController {
  index() {
    return 'Hello'
  }
}
`

describe('propylon serve --reload', () => {
  let file: string
  let child: ReturnType<typeof start>
  let printed = ''

  /** Waits until the server has printed a line again. */
  async function prints(pattern: RegExp): Promise<string> {
    for (;;) {
      const line = pattern.exec(printed)
      if (line !== null) {
        printed = printed.slice(line.index + line[0].length)
        return line[0]
      }
      await new Promise((resolve) => child.stderr.once('data', resolve))
    }
  }

  before(async () => {
    const project = await createdProject()
    file = join(project, 'controllers/hello.ts')
    writeFileSync(file, RIGHT.replace('index', '__befor__() {}\n\n  index'))
    child = start(['serve', '--port', '0', '--reload'], { cwd: project, env: { NO_COLOR: '1' } })
    child.stderr.on('data', (text: string) => {
      printed += text
    })
  })
  after(async () => {
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.kill()
    await ended
    // The test below leaves one finding, which is printed once.
    assert.doesNotMatch(printed, /hook-misspelt/)
  })

  test('prints a finding at start, with its place', async () => {
    assert.match(
      await prints(/^.*\[hook-misspelt\]$/m),
      /^controllers\/hello\.ts:4:3 error: .*"__before__"\?/,
    )
  })

  test('prints only new findings after a change, and one that returns again', async () => {
    writeFileSync(file, `\n${readFileSync(file, 'utf8').replace('index', '__aftr__() {}\n\n  index')}`)
    assert.match(await prints(/^.*\[hook-misspelt\]$/m), /__aftr__/)
    writeFileSync(file, RIGHT.replace('index', '__afte__() {}\n\n  index'))
    assert.match(await prints(/^.*\[hook-misspelt\]$/m), /__afte__/)
    writeFileSync(file, RIGHT.replace('index', '__aftr__() {}\n\n  index'))
    assert.match(await prints(/^.*\[hook-misspelt\]$/m), /__aftr__/)
  })
})
