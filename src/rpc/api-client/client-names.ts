import type { Operation } from '../service-types/openapi-operations.ts'
import { textMember } from '../service-types/pointer.ts'

/** Number of groups around an operation. Further ones are left out. */
const MAX_GROUPS = 10

/** The way to an operation in the client: `['admin', 'reports', 'show']` is `api.admin.reports.show`. */
export type ClientPath = readonly [string, ...string[]]

/**
 * Returns the way to an operation. The groups are the parts of its first tag, between slashes. The name is its
 * `operationId`, without the tag in front: `admin_reports_show` with the tag `admin/reports` is `show`.
 */
export function clientPath({ method, path, operation }: Operation): ClientPath {
  const { tags } = operation
  const [tag] = Array.isArray(tags) ? tags : []
  const groups = (typeof tag === 'string' ? tag.split('/') : []).map(plain).filter((part) => part !== '')
  const id = plain(textMember(operation, 'operationId')) || plain(`${method}_${plain(path)}`)
  const prefix = `${groups.join('_')}_`
  const name = id.startsWith(prefix) && id.length > prefix.length ? id.slice(prefix.length) : id
  const [first = name, ...others] = [...groups.slice(0, MAX_GROUPS), name].map(safe)
  return [first, ...others]
}

/** Removes what an identifier cannot contain from the ends of a text, and replaces it by `_` within. */
function plain(text: string): string {
  const inner = text.normalize('NFC').replace(/^[^\p{ID_Continue}$]+|[^\p{ID_Continue}$]+$/gu, '')
  return inner.replace(/[^\p{ID_Continue}$]+/gu, '_')
}

/** Returns a name that can be a member: `await` calls `then`, and a literal with `__proto__` has no such member. */
function safe(name: string): string {
  if (!/^[\p{ID_Start}$_]/u.test(name)) return `_${name}`
  return name === 'then' || name === '__proto__' ? `${name}_` : name
}
