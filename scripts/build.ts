/** Builds dist/ from src/ with tsc alone: plain modules, declarations and source maps, no bundler. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'

const root = new URL('../', import.meta.url)
rmSync(new URL('dist/', root), { recursive: true, force: true })
const tsc = new URL('node_modules/.bin/tsc', root).pathname
const { status } = spawnSync(tsc, ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)
