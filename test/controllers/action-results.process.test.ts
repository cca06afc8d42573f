import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

describe('the return types of actions', () => {
  it('are refused with the class, the action and the type', () => {
    const root = fileURLToPath(new URL('../../', import.meta.url))
    const directory = mkdtempSync(fileURLToPath(new URL('.types-', import.meta.url)))
    try {
      writeFileSync(
        join(directory, 'wrong.ts'),
        "import { WSGIController } from 'propylon'\nexport class UsersController extends WSGIController {\n  count() {\n    return 42\n  }\n}\n",
      )
      const config = { extends: join(root, 'tsconfig.json'), include: ['wrong.ts'] }
      writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
      const { stdout } = spawnSync(
        process.execPath,
        [join(root, 'node_modules/typescript/bin/tsc'), '-p', directory, '--pretty', 'false'],
        { encoding: 'utf8' },
      )
      assert.match(stdout, /wrong\.ts\(2,14\): error TS2417: .*'typeof UsersController'/)
      assert.match(
        stdout,
        /'count' is incompatible .*\n\s*Type 'number' is not assignable to type 'ActionResult'\./,
      )
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
