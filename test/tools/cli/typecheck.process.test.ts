import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { before, describe, it } from 'node:test'
import { writeTree } from './command-line.ts'
import { createdProject } from './command-process.ts'

/** Runs `npm run typecheck` of a project, and returns its status and the lines about mistakes. */
function typecheck(cwd: string): { status: number | null; lines: string[] } {
  const env = { ...process.env, NODE_ENV: undefined, NODE_TEST_CONTEXT: undefined, NO_COLOR: '1' }
  const { status, stdout } = spawnSync('npm', ['run', '--silent', 'typecheck'], {
    cwd,
    encoding: 'utf8',
    env,
  })
  return { status, lines: stdout.split('\n').filter((line) => /^\S+:\d+:\d+/.test(line)) }
}

/** Statements of an action, and the rule that reports them. */
const STATEMENTS: readonly (readonly [statement: string, rule: string])[] = [
  ['this._save()', 'no-floating-promises'],
  ['local()', 'no-floating-promises'],
  ['imported()', 'no-floating-promises'],
  ['store.put()', 'no-floating-promises'],
  [';[1].map(async () => store.put())', 'no-floating-promises'],
  ['if (this._may()) this.c.x = 1', 'no-misused-promises'],
]

describe('npm run typecheck of a created project', () => {
  let cwd: string
  before(async () => {
    cwd = await createdProject()
  })

  it('finds nothing at first', () => assert.deepEqual(typecheck(cwd), { status: 0, lines: [] }))

  it('reports promises for which nothing waits, and not those of node:test', () => {
    writeTree(cwd, {
      'lib/work.ts': 'export async function imported() {}\n',
      'lib/guarded.ts':
        "import { BaseController } from './base.ts'\n\nexport class GuardedController extends BaseController {\n  override async __before__() {}\n}\n",
      'controllers/work.ts': `import { GuardedController } from '../lib/guarded.ts'
import { imported } from '../lib/work.ts'

async function local() {}
const store = { async put() {} }

export class WorkController extends GuardedController {
  override async __before__() {
    super.__before__()
  }
  index() {
${STATEMENTS.map(([statement]) => `    ${statement}\n`).join('')}    return 'x'
  }
  async _save() {}
  async _may() {
    return true
  }
}
`,
      'tests/functional/test_work.ts':
        "import { describe, it, test } from 'node:test'\n\ntest('a', async () => {})\ndescribe('b', () => {\n  it('c', async () => {})\n})\n",
    })
    const { status, lines } = typecheck(cwd)
    assert.equal(status, 1)
    // The compiler refuses the condition as well.
    const ofLinter = lines.filter((line) => line.includes('[Error/'))
    assert.deepEqual(
      ofLinter.map((line) => /^(.*?):(\d+):.*\((.*)\)\]$/.exec(line)?.slice(1).join(' ')),
      [
        'controllers/work.ts 9 no-floating-promises',
        ...STATEMENTS.map(([, rule], index) => `controllers/work.ts ${12 + index} ${rule}`),
      ],
    )
  })

  it('runs the compiler once, by the check', () => {
    writeTree(cwd, {
      'controllers/work.ts':
        "import { BaseController } from '../lib/base.ts'\n\nexport class WorkController extends BaseController {\n  show(id: number) {\n    const text: string = id\n    return text\n  }\n}\n",
    })
    assert.deepEqual(
      typecheck(cwd).lines.map((line) => line.replace(/:.*\[/, ' [')),
      ['controllers/work.ts [argument-type]', 'controllers/work.ts [type-error]'],
    )
  })
})
