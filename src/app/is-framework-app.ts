import { isRecord } from '../base/record.ts'
import { hasWSGI } from '../wsgi/application.ts'
import type { FrameworkApp } from './framework-app.ts'

/** Returns true for a FrameworkApp, also of another copy of this package. */
export function isFrameworkApp(value: unknown): value is FrameworkApp {
  return hasWSGI(value) && 'mapper' in value && isRecord(value.mapper) && 'controllers' in value
}
