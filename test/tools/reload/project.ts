/** A project on disk, served with reloading over a real socket. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type ServerHandle, serve } from 'propylon/node'
import { type ReloadingApplication, type ReloadingOptions, reloading } from 'propylon/reload'

/** URL of the framework under test, for imports in the project's files. */
export const framework = import.meta.resolve('propylon')

/** Returns the source of a controller whose `index` returns the given expression. */
export function controller(expression: string, head = ''): string {
  return `import { WSGIController } from '${framework}'
${head}
export default class extends WSGIController {
  index() {
    return ${expression}
  }
}
`
}

export class Project implements AsyncDisposable {
  readonly root: string
  readonly log: string[] = []
  #app: ReloadingApplication | undefined
  #server: ServerHandle | undefined

  private constructor(root: string) {
    this.root = root
  }

  /** Creates a project with an app.ts, a routing file and the controller `hello`. */
  static async create(): Promise<Project> {
    const project = new Project(join(await realpath(await mkdtemp(join(tmpdir(), 'pröject '))), 'an äpp'))
    await project.write({
      'app.ts': `import { FrameworkApp } from '${framework}'
import { map } from './config/routing.ts'
export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  templates: new URL('./templates/', import.meta.url),
  debug: true,
  logger: { info() {}, warn() {}, error() {} },
})
`,
      'config/routing.ts': `import { Mapper } from '${framework}'
export const map = new Mapper().connect('/{controller}', { action: 'index' })
`,
      'controllers/hello.ts': controller("'hello'"),
    })
    return project
  }

  path(file: string): string {
    return join(this.root, file)
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(this.path(file)), { recursive: true })
      await writeFile(this.path(file), text)
    }
  }

  async remove(file: string): Promise<void> {
    await rm(this.path(file), { recursive: true })
  }

  /** @param root - another path to the project. */
  async start(options: ReloadingOptions = {}, root = this.root): Promise<this> {
    const log = (line: string) => this.log.push(line)
    this.#app = await reloading(join(root, 'app.ts'), { live: false, log, ...options })
    this.#server = await serve(this.#app)
    return this
  }

  get url(): string {
    return this.#server?.url ?? ''
  }

  fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetch(this.url + path, init)
  }

  /** Returns the body of a page, preceded by its status unless that is 200. */
  async get(path: string): Promise<string> {
    const response = await this.fetch(path)
    const text = await response.text()
    if (response.status === 200) return text
    return `${response.status} ${text.replace(/^500 Internal Server Error\n\n/, '')}`
  }

  async stop(): Promise<void> {
    this.#app?.close()
    await this.#server?.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await rm(dirname(this.root), { recursive: true })
  }
}
