import type { Place } from './model.ts'
import { placeOfText } from './route-view.ts'

/** Returns the place of the innermost call on an error's stack that is in a folder, outside of packages. */
export function placeInProject(error: Error, root: string): Place | undefined {
  for (const line of (error.stack ?? '').split('\n')) {
    const text = /(?:\(|at )(?:file:\/\/)?(\/.*:\d+:\d+)\)?$/.exec(line.trim())?.[1]
    const place = placeOfText(text)
    if (place?.file.startsWith(`${root}/`) && !place.file.includes('/node_modules/')) return place
  }
  return undefined
}
