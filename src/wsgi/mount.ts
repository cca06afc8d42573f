/**
 * The mount point of an application that a server or a framework around it sets: SCRIPT_NAME.
 *
 * @module
 */

import { describeValue } from '../base/describe.ts'
import { encodePath, targetPath } from './request-url.ts'
import type { Environ } from './types.ts'

/**
 * Checks the option `scriptName`.
 *
 * @returns the mount point without a slash at its end; `''` for none.
 * @throws TypeError - it is not a path.
 */
export function mountPoint(scriptName: string | undefined): string {
  if (scriptName === undefined) return ''
  if (typeof scriptName === 'string' && /^(?:\/(?![/\\])[^?#\0]*)?$/.test(scriptName)) {
    return scriptName.replace(/\/+$/, '')
  }
  throw new TypeError(
    `scriptName is ${describeValue(scriptName)}. Write the path at which the application is mounted, without percent-encoding: '/shop'.`,
  )
}

/**
 * Mounts the application of a request: removes the mount point from the beginning of PATH_INFO, and adds it to SCRIPT_NAME.
 * A path that does not begin with it has been cut by the caller. REQUEST_URI gets the mount point then.
 */
export function mountAt(environ: Environ, scriptName: string): void {
  const { PATH_INFO: path, REQUEST_URI: target = '', QUERY_STRING: query } = environ
  // The mount point that a framework states has precedence.
  if (path === '*' || environ.SCRIPT_NAME !== '') return
  environ.SCRIPT_NAME = scriptName
  if (path === scriptName || path.startsWith(`${scriptName}/`)) {
    environ.PATH_INFO = path.slice(scriptName.length)
    return
  }
  environ.REQUEST_URI = encodePath(scriptName) + targetPath(target) + (query === '' ? '' : `?${query}`)
}
