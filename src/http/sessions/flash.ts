/** Flashed values: those that are kept until a request reads them. */
import { isRecord } from '../../base/record.ts'
import type { SessionValue, SessionValues } from './data.ts'

/** Name under which flashed values are stored. */
export const FLASH_KEY = '_flash'

/** Unread values of earlier requests that remain when a request flashes more under their name. The oldest are dropped. */
const MAX_UNREAD = 20

/** Flashed values by name. */
export type Flash = Map<string, SessionValue[]>

/** Returns the flashed values among stored ones. */
export function flashIn(stored: SessionValues): Flash {
  const flash = stored[FLASH_KEY]
  if (!isRecord(flash)) return new Map()
  // Version 0.2 stored one value for each name.
  return new Map(Object.entries(flash).map(([name, value]) => [name, Array.isArray(value) ? value : [value]]))
}

/**
 * Changes stored flashed values as a request did.
 *
 * @param read - the values that it read. A concurrent request may have read them too, or added others.
 * @param added - the values that it flashed.
 */
export function changeFlash(flash: Flash, read: Flash, added: Flash): void {
  for (const [name, values] of read) {
    const texts = values.map((value) => JSON.stringify(value))
    const rest = (flash.get(name) ?? []).filter((value) => {
      const at = texts.indexOf(JSON.stringify(value))
      if (at >= 0) texts.splice(at, 1)
      return at < 0
    })
    if (rest.length === 0) flash.delete(name)
    else flash.set(name, rest)
  }
  for (const [name, values] of added) {
    flash.set(name, [...(flash.get(name) ?? []).slice(-MAX_UNREAD), ...values])
  }
}
