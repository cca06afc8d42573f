/**
 * Where a route was defined: file and line, for diagnosis.
 *
 * @module
 */

/** A remembered place in the application's source. */
export interface DefinitionSite {
  readonly stack: string
}

// Some runtimes give modules no URL.
const HERE = String(import.meta.url).replace(/[^/]*$/, '')
const FRAMES = 12

/** Remembers the caller's place. The engine keeps it as it is and writes it out only when it is asked for. */
export function rememberSite(): DefinitionSite {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = FRAMES
  const error = new Error('a route was defined here')
  Error.stackTraceLimit = stackTraceLimit
  return {
    get stack() {
      return error.stack ?? ''
    },
  }
}

/** Whether sites are remembered unless a mapper is told otherwise: not in production. */
export function remembersSites(): boolean {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.NODE_ENV !== 'production'
}

/** `file:line:column` of the first frame outside of this library. */
export function definitionSite(site: DefinitionSite): string | undefined {
  for (const line of site.stack.split('\n').slice(1)) {
    const place = /(?:\(|at |@)((?:file|[A-Za-z]):?[^()\s]*|\/[^()]*):(\d+):(\d+)\)?$/.exec(line.trim())
    if (!place?.[1] || place[1].startsWith(HERE) || `file://${place[1]}`.startsWith(HERE)) continue
    return `${place[1].replace(/^file:\/\//, '')}:${place[2]}:${place[3]}`
  }
  return undefined
}
