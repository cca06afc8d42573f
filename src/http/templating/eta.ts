/**
 * The default template engine: Eta's grammar over a directory or a record.
 *
 * @module
 */

import { shownPlaces } from '../../base/place.ts'
import { isPromise } from '../../base/promise.ts'
import { escapeRegex } from '../../base/regex.ts'
import { similar } from '../../base/suggest.ts'
import { errorMessage, errorSummary, isInstance, memberOf } from '../../base/thrown.ts'
import { escapeHtml } from '../html.ts'
import {
  blockNames,
  compileTemplate,
  Fragment,
  FragmentComplete,
  type Frame,
  placeBlock,
  type Runtime,
  type TemplateFunction,
  TemplateSyntaxError,
  templateNames,
} from './compile.ts'
import { excerptOf, type RenderOptions, type TemplateEngine, TemplateError } from './engine.ts'
import {
  candidateFiles,
  directorySource,
  nearestTemplate,
  recordSource,
  TemplateNameError,
  type TemplateSource,
} from './sources.ts'

/** Options of the default engine. */
export interface TemplateOptions {
  /** Whether to read each template again when it is rendered, so that changes take effect. Default `false`. */
  debug?: boolean
}

/** The templates: a directory (URL or path), a record of name to text, or a template engine. */
export type Templates = URL | string | Readonly<Record<string, string>> | TemplateEngine

/**
 * Creates the engine for a `templates` option.
 *
 * @param templates - a directory (`file:` URL, or a path from the working directory), a record of name to text for
 *   runtimes without a file system, or an engine, which is returned unchanged.
 * @throws Error - a directory is given and the runtime has no file system.
 *
 * @example
 * ```ts
 * import { templateEngine } from 'propylon'
 *
 * const engine = templateEngine({ 'hello.eta': 'Hello, <%= it.name %>!' })
 * engine.render('hello', { name: '<you>' }) // 'Hello, &lt;you&gt;!'
 * ```
 */
export function templateEngine(templates: Templates, options: TemplateOptions = {}): TemplateEngine {
  if (typeof templates === 'string' || templates instanceof URL) {
    return new EtaEngine(directorySource(templates), options)
  }
  return isEngine(templates) ? templates : new EtaEngine(recordSource(templates), options)
}

function isEngine(templates: Readonly<Record<string, string>> | TemplateEngine): templates is TemplateEngine {
  return typeof templates.render === 'function'
}

const MAX_DEPTH = 100

/** A template that was read. `run` throws if the text has a syntax error. */
interface Template {
  readonly file: string
  readonly text: string
  readonly run: TemplateFunction
  /** Prototype of `it` that reports missing members. Undefined until it is needed. */
  watch?: object
}

/**
 * Renders templates in Eta's syntax (https://eta.js.org).
 *
 * In a template `it` holds the values. `<%= %>` writes escaped text (nothing for null and undefined), `<%~ %>` raw
 * text, and `<% %>` runs code. `include(name, values?)`, `layout(name, values?)` with `it.body`, `capture` and
 * `output` are Eta's. `block(name, () => …)` is a part that the layout may show elsewhere, and that can be rendered
 * alone. Names start at the root; `./` and `../` start at the template's own folder. A template that awaits renders
 * to a promise.
 */
export class EtaEngine implements TemplateEngine {
  /** Whether each template is read again when it is rendered. */
  rereads: boolean
  /**
   * Receives a sentence for each name that a template reads of `it` and that does not exist. Undefined in production.
   */
  warn: ((message: string) => void) | undefined
  /** Directory or record of the templates. */
  readonly source: TemplateSource
  readonly #loaded = new Map<string, Template>()
  /** Templates by name, in production. Bounded, because it has names of existing templates only. */
  readonly #byName = new Map<string, Template>()
  readonly #runtime: Runtime
  /** Writes text as it is. */
  readonly #plainRuntime: Runtime

  constructor(source: TemplateSource, options: TemplateOptions = {}) {
    this.source = source
    this.rereads = options.debug ?? false
    this.#runtime = {
      config: {
        escapeFunction: (value) => escapeHtml(String(value ?? '')),
        filterFunction: String,
      },
      render: (name, values, frame) => this.#include(name, values, frame),
      renderAsync: async (name, values, frame) => this.#nested(name, values, frame),
      block: (name, run, state, values, frame) =>
        placeBlock(name, run, state, values, frame.fragment, (each) =>
          this.#hasBlock(state.layout ?? '', each, frame.filepath, new Set()),
        ),
      RuntimeErr: (error, text, line, file) => this.#fail(error, text, line, file),
    }
    const config = { ...this.#runtime.config, escapeFunction: (value: unknown) => String(value ?? '') }
    this.#plainRuntime = { ...this.#runtime, config }
    // Some runtimes compile functions from text only while the program starts.
    if (source.compileEarly) for (const name of source.names()) this.#load(name)
  }

  /**
   * Renders a template.
   *
   * @throws TemplateError - the template is missing, has a syntax error, or throws; the block to render is missing or
   *   was not reached. An error that is a WSGI application (an HTTPException) is thrown unchanged.
   */
  render(
    name: string,
    values: Record<string, unknown> = {},
    options?: RenderOptions | undefined,
  ): string | Promise<string> {
    const template = this.#findOutermost(name)
    const isPlain = options?.escape === false
    if (options?.block !== undefined) return this.#renderBlock(template, { ...values }, options.block, isPlain)
    return this.#run(template, { ...values }, { depth: 0, isPlain })
  }

  /** Returns true if there is a template of a name. */
  has(name: string): boolean {
    try {
      return candidateFiles(name).some((file) => this.source.read(file) !== undefined)
    } catch (error) {
      if (error instanceof TemplateNameError) return false
      throw error
    }
  }

  #renderBlock(
    template: Template,
    it: Record<string, unknown>,
    block: string,
    isPlain: boolean,
  ): string | Promise<string> {
    const fragment = new Fragment(block)
    const finish = (): string => fragment.text ?? this.#missBlock(template, fragment)
    const fail = (error: unknown): string => {
      if (fragment.text === undefined) throw error
      return fragment.text
    }
    try {
      const page = this.#run(template, it, { depth: 0, fragment, isPlain })
      return isPromise(page) ? page.then(finish, fail) : finish()
    } catch (error) {
      return fail(error)
    }
  }

  #missBlock({ file, text }: Template, { name }: Fragment): never {
    const names = blockNames(text)
    const nearest = nearestTemplate(name, names)
    const list = names.length === 0 ? 'it has none' : `it has ${names.map(describe).join(', ')}`
    const hint = nearest === undefined ? list : `did you mean ${JSON.stringify(nearest)}?`
    const reason = names.includes(name)
      ? `the block ${JSON.stringify(name)} was not reached, because the code around it did not run it`
      : `no block ${JSON.stringify(name)} in ${file}; ${hint}`
    throw new TemplateError({ template: file, file: this.source.path(file), line: 0, reason, excerpt: '' })
  }

  /** Returns true if a template, or one that it includes, names a block. Names that are computed are not found. */
  #hasBlock(template: string, block: string, from: string, seen: Set<string>): boolean {
    const { file, text } = this.#find(template, from)
    if (seen.has(file)) return false
    seen.add(file)
    if (blockNames(text).includes(block)) return true
    return templateNames(text).some((name) => this.#hasBlock(name, block, file, seen))
  }

  #findOutermost(name: string): Template {
    try {
      return this.#find(name)
    } catch (error) {
      if (!(error instanceof TemplateNameError)) throw error
      const details = { template: name, file: this.source.place, reason: error.message }
      throw new TemplateError({ ...details, line: 0, excerpt: '' })
    }
  }

  #include(name: string, values: Record<string, unknown>, frame: Frame): string | Promise<string> {
    const output = this.#nested(name, values, frame)
    return typeof output === 'string' ? output : refuseText(output, name)
  }

  #nested(name: string, values: Record<string, unknown>, frame: Frame): string | Promise<string> {
    const depth = frame.depth + 1
    if (depth > MAX_DEPTH) throw new Error(`Templates include one another more than ${MAX_DEPTH} deep.`)
    return this.#run(this.#find(name, frame.filepath), values, { ...frame, depth })
  }

  #run(template: Template, it: Record<string, unknown>, frame: Omit<Frame, 'filepath'>): string | Promise<string> {
    const runtime = frame.isPlain === true ? this.#plainRuntime : this.#runtime
    if (this.warn !== undefined) {
      template.watch ??= watchMembers(template, this.source, this.warn)
      Object.setPrototypeOf(it, template.watch)
    }
    return template.run.call(runtime, it, { ...frame, filepath: template.file })
  }

  #fail(error: unknown, text: string, line: number, template: string): never {
    if (isInstance(error, TemplateError) || isInstance(error, FragmentComplete) || isApplication(error)) {
      throw error
    }
    const reason = isInstance(error, Error) ? errorMessage(error) || errorSummary(error) : `threw ${describe(error)}`
    const file = this.source.path(template)
    throw new TemplateError({ template, file, line, reason, excerpt: excerptOf(text, line), cause: error })
  }

  #find(name: string, from?: string): Template {
    const relative = from !== undefined && name.startsWith('.')
    const known = relative || this.rereads ? undefined : this.#byName.get(name)
    if (known !== undefined) return known
    for (const file of candidateFiles(name, from)) {
      const template = this.#load(file)
      if (template === undefined) continue
      if (!this.rereads && !relative) this.#byName.set(name, template)
      return template
    }
    const nearest = nearestTemplate(name, this.source.names())
    const hint = nearest === undefined ? '' : `; did you mean ${JSON.stringify(nearest)}?`
    throw new TemplateNameError(`no template ${JSON.stringify(name)} in ${this.source.place}${hint}`)
  }

  #load(file: string): Template | undefined {
    const last = this.#loaded.get(file)
    if (last !== undefined && !this.rereads) return last
    const text = this.source.read(file)
    if (text === undefined) return undefined
    if (text === last?.text) return last
    const template = { file, text, run: this.#compile(file, text) }
    this.#loaded.set(file, template)
    return template
  }

  /** Compiles a text. One with a syntax error becomes a function that throws it, so that others still render. */
  #compile(template: string, text: string): TemplateFunction {
    try {
      return compileTemplate(text)
    } catch (cause) {
      if (!(cause instanceof TemplateSyntaxError)) throw cause
      const { line, column } = placeOf(text, cause.offset)
      const details = { template, file: this.source.path(template), line, column, reason: cause.message, cause }
      const excerpt = excerptOf(text, line, column)
      return () => {
        throw new TemplateError({ ...details, excerpt })
      }
    }
  }
}

/** Members that the code of Eta and the language read. */
const UNWATCHED: ReadonlySet<string> = new Set(['__blocks', 'asset', 'then', 'toJSON'])

/**
 * Returns a prototype for the values of a template. Only a read of a member that they lack reaches it, and it reports
 * each name once.
 */
function watchMembers({ file, text }: Template, source: TemplateSource, warn: (message: string) => void): object {
  const reported = new Set<string | symbol>()
  return new Proxy(
    {},
    {
      get(target, name, it: object) {
        if (name in target || typeof name === 'symbol' || UNWATCHED.has(name) || reported.has(name))
          return Reflect.get(target, name, it)
        reported.add(name)
        const read = new RegExp(`\\bit\\s*\\??\\.\\s*${escapeRegex(name)}(?![\\w$])`).exec(text)
        const line = read === null ? '' : `:${placeOf(text, read.index).line}`
        const known = Object.keys(it).filter((known) => !UNWATCHED.has(known) || known === 'asset')
        const meant = similar(name, known)
        const fix =
          meant === undefined
            ? `Give it a value, or ask by '${name}' in it. Its members: ${known.join(', ') || 'none'}.`
            : `Did you mean it.${meant}?`
        warn(`${shownPlaces(source.path(file))}${line}: it.${name} does not exist. ${fix}`)
        return undefined
      },
    },
  )
}

/** Returns the line and column of an offset, both counted from 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

function describe(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : errorMessage(value)
}

function isApplication(error: unknown): boolean {
  return isInstance(error, Error) && typeof memberOf(error, 'wsgi') === 'function'
}

/**
 * Makes a promise throw when it is converted to text: the output of a template that awaits, included without `await`.
 * As a layout it is valid, because the page then returns the promise.
 */
function refuseText(output: Promise<string>, name: string): Promise<string> {
  const refuse = () => {
    // The promise is abandoned. A rejection would otherwise be unhandled.
    output.catch(() => {})
    const fix = `write <%~ await includeAsync(${JSON.stringify(name)}) %>`
    throw new Error(`the template ${JSON.stringify(name)} awaits something, so it must be awaited: ${fix}`)
  }
  return Object.defineProperty(output, 'toString', { value: refuse })
}
