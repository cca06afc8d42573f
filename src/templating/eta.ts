/**
 * The default template engine: Eta's grammar over a directory or a record, with errors at their place in the template.
 *
 * @module
 */

import { Eta } from 'eta/core'
import {
  type CompiledTemplate,
  compileTemplate,
  type Frame,
  type Runtime,
  TemplateSyntaxError,
} from './compile.ts'
import { type TemplateEngine, TemplateError } from './engine.ts'
import { runtimeError, syntaxError } from './locate.ts'
import { candidateFiles, nearestName, TemplateNameError } from './names.ts'
import { directorySource, recordSource, type TemplateSource } from './sources.ts'

/** Settings of the default engine. */
export interface TemplateOptions {
  /** Read each template again when it is rendered, so that a change shows at once. Default: `false`, read once. */
  debug?: boolean
}

/** Where templates come from: a directory (URL or path), a record of name to text, or an engine of one's own. */
export type Templates = URL | string | Readonly<Record<string, string>> | TemplateEngine

/**
 * Makes the engine that a `templates` setting means.
 *
 * @param templates - a directory (`file:` URL, or a path from the working directory), a record of name to text for
 *   runtimes without a file system, or an engine, which is returned as it is.
 * @throws Error when a directory is given and the runtime has no file system.
 *
 * @example
 * ```ts
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

/** A template as it was last read: ready to run, or the error it does not compile for. */
interface Loaded {
  readonly text: string
  readonly template: CompiledTemplate | TemplateError
}

const escapeMarkup = new Eta().config.escapeFunction

/**
 * Eta (https://eta.js.org) behind the framework's seam.
 *
 * In a template `it` holds the values; `<%= %>` writes escaped text (nothing for null and undefined), `<%~ %>` raw
 * text, `<% %>` runs code; `include(name, values?)`, `layout(name, values?)` with `it.body`, `block`, `capture` and
 * `output` are Eta's. Names start at the root; `./` and `../` start at the template's own folder. A template that
 * awaits is rendered to a promise; any other at once.
 */
export class EtaEngine implements TemplateEngine {
  /** Whether each template is read again when it is rendered, so that a change shows at once. */
  rereads: boolean
  readonly #source: TemplateSource
  readonly #loaded = new Map<string, Loaded>()
  /** In production: what a name led to. Bounded, for only names of existing templates are kept. */
  readonly #byName = new Map<string, CompiledTemplate>()
  readonly #runtime: Runtime

  constructor(source: TemplateSource, options: TemplateOptions = {}) {
    this.#source = source
    this.rereads = options.debug ?? false
    this.#runtime = {
      config: {
        escapeFunction: (value) => (value === null || value === undefined ? '' : escapeMarkup(value)),
        filterFunction: String,
      },
      render: (name, values, frame) => this.#include(name, values, frame),
      renderAsync: async (name, values, frame) => this.#nested(name, values, frame),
    }
    // Some runtimes make functions from text only while the program starts, so templates in memory are compiled now.
    if (source.compileEarly) for (const name of source.names()) this.#load(name)
  }

  /**
   * Renders a template.
   *
   * @throws TemplateError (or rejects with it) when the template is missing, does not parse, or throws. An error that
   *   is an application itself (an HTTPException) goes through as it is.
   */
  render(name: string, values: Record<string, unknown> = {}): string | Promise<string> {
    return this.#run(this.#findOutermost(name), { ...values }, 0)
  }

  #findOutermost(name: string): CompiledTemplate {
    try {
      return this.#find(name)
    } catch (error) {
      if (!(error instanceof TemplateNameError)) throw error
      const file = this.#source.place
      throw new TemplateError({ template: name, file, line: 0, reason: error.message, excerpt: '' })
    }
  }

  #include(name: string, values: Record<string, unknown>, frame: Frame): string | Promise<string> {
    const output = this.#nested(name, values, frame)
    return typeof output === 'string' ? output : refuseText(output, name)
  }

  #nested(name: string, values: Record<string, unknown>, frame: Frame): string | Promise<string> {
    const depth = frame.depth + 1
    if (depth > MAX_DEPTH) throw new Error(`templates include one another more than ${MAX_DEPTH} deep`)
    return this.#run(this.#find(name, frame.template.file), values, depth)
  }

  #run(template: CompiledTemplate, it: Record<string, unknown>, depth: number): string | Promise<string> {
    const frame: Frame = { offset: 0, depth, template }
    try {
      const output = template.run.call(this.#runtime, it, frame)
      return typeof output === 'string' ? output : output.catch((error: unknown) => this.#fail(error, frame))
    } catch (error) {
      return this.#fail(error, frame)
    }
  }

  #fail(error: unknown, frame: Frame): never {
    if (error instanceof TemplateError || isApplication(error)) throw error
    throw runtimeError(error, frame, this.#source.path(frame.template.file))
  }

  #find(name: string, from?: string): CompiledTemplate {
    const relative = from !== undefined && name.startsWith('.')
    const known = relative || this.rereads ? undefined : this.#byName.get(name)
    if (known !== undefined) return known
    for (const file of candidateFiles(name, from)) {
      const template = this.#load(file)
      if (template === undefined) continue
      if (template instanceof TemplateError) throw template
      if (!this.rereads && !relative) this.#byName.set(name, template)
      return template
    }
    const nearest = nearestName(name, this.#source.names())
    const hint = nearest === undefined ? '' : `; did you mean ${JSON.stringify(nearest)}?`
    throw new TemplateNameError(`no template ${JSON.stringify(name)} in ${this.#source.place}${hint}`)
  }

  #load(file: string): CompiledTemplate | TemplateError | undefined {
    const last = this.#loaded.get(file)
    if (last !== undefined && !this.rereads) return last.template
    const text = this.#source.read(file)
    if (text === undefined) return undefined
    if (text === last?.text) return last.template
    const template = this.#compile(file, text)
    this.#loaded.set(file, { text, template })
    return template
  }

  #compile(file: string, text: string): CompiledTemplate | TemplateError {
    try {
      return compileTemplate(file, text)
    } catch (error) {
      if (!(error instanceof TemplateSyntaxError)) throw error
      return syntaxError(error, file, this.#source.path(file), text)
    }
  }
}

function isApplication(error: unknown): boolean {
  return error instanceof Error && 'wsgi' in error && typeof error.wsgi === 'function'
}

/**
 * A template that waits, included where nothing awaits it: harmless as a layout (the page's result is then the
 * promise), an error as soon as it is made text of.
 */
function refuseText(output: Promise<string>, name: string): Promise<string> {
  const refuse = () => {
    // Nobody will look at the promise any more; the error thrown here says what went wrong.
    output.catch(() => {})
    const fix = `write <%~ await includeAsync(${JSON.stringify(name)}) %>`
    throw new Error(`the template ${JSON.stringify(name)} waits for something, so it must be awaited: ${fix}`)
  }
  return Object.defineProperty(output, 'toString', { value: refuse })
}
