import { excerptAt, withShortPaths } from '../../app/error-pages/source.ts'
import { framesOf } from '../../app/error-pages/stack.ts'
import { errorText, isInstance } from '../../base/thrown.ts'
import type { Environ } from '../../wsgi/types.ts'
import { EntryLoadError } from './load-failure.ts'

/** Returns the text of an error for assistants: the request, the stack and the source. */
export function errorForAssistants(
  error: unknown,
  { REQUEST_METHOD, PATH_INFO }: Environ,
  root: string,
): string {
  const place = isInstance(error, EntryLoadError)
    ? error.failure.place
    : framesOf(error).find(({ owner }) => owner === 'application')?.place
  const source =
    place === undefined ? '' : `\n\n${withShortPaths(place.path, root)}:${place.line}\n${excerptAt(place)}`
  return `${REQUEST_METHOD} ${PATH_INFO}\n${errorText(error)}${source}`
}
