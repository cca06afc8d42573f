/** Reads the tags of a method's documentation. */

/** Documentation of a method, without the tags of its parameters. */
export interface Documentation {
  readonly text: string
  /** Descriptions by parameter. A member of an object has the path that the tag names: `options.limit`. */
  readonly parameters: ReadonlyMap<string, string>
}

const TAG = /^@\w/
/** `@param name text`, `@param {type} name text`, `@param [name=default] - text`. */
const PARAM = /^@param\s+(?:\{[^}]*\}\s*)?(?:\[([\w$.]+)[^\]]*\]|([\w$.]+))(?:\s+(?:-\s+)?|\s*$)(.*)$/

/**
 * Separates the `@param` tags of a documentation from the rest. A tag ends at the next tag or at an empty line.
 */
export function readDocumentation(help: string): Documentation {
  const text: string[] = []
  const parameters = new Map<string, string>()
  let current: string | undefined
  for (const line of help.split('\n')) {
    const trimmed = line.trim()
    const param = PARAM.exec(trimmed)
    if (param !== null) {
      const [, optional, plain, description = ''] = param
      current = optional ?? plain ?? ''
      parameters.set(current, description)
    } else if (trimmed === '' || TAG.test(trimmed)) {
      current = undefined
      text.push(line)
    } else if (current === undefined) text.push(line)
    else parameters.set(current, `${parameters.get(current)} ${trimmed}`.trim())
  }
  return {
    text: text
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
    parameters,
  }
}
