/** Settings from environment variables. */

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeValue } from '../base/describe.ts'
import { isPromise } from '../base/promise.ts'
import { isSchema } from '../http/converters/schema.ts'

/** Converters of settings by the names of their environment variables. */
export type SettingConverters = Readonly<Record<string, StandardSchemaV1>>

/** Types of the settings of converters by name. */
export type Settings<Converters extends SettingConverters> = {
  readonly [Name in keyof Converters]: StandardSchemaV1.InferOutput<Converters[Name]>
}

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>

/**
 * Thrown by {@link env} if settings are wrong. Its message names all of them, without values of secrets.
 *
 * @example
 * ```ts
 * import { env, SettingsError } from 'propylon'
 * import { int } from 'propylon/converters'
 *
 * try {
 *   env({ PORT: int }, { PORT: 'eighty' })
 * } catch (error) {
 *   if (error instanceof SettingsError) console.error(error.problems)
 * }
 * ```
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  /** One line for each wrong setting, which begins with its name. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? '1 setting is' : `${problems.length} settings are`
    super(`${count} wrong in the environment:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/**
 * Reads the settings of an application from environment variables, and checks all of them at once. Call it when the
 * program starts. A variable that is empty counts as missing.
 *
 * @param converters - by name, of `propylon/converters` or any other Standard Schemas.
 * @param variables - defaults to `process.env`.
 * @returns the converted values, frozen.
 * @throws SettingsError - settings are wrong. It names every one of them.
 * @throws TypeError - a schema is asynchronous, or no schema.
 *
 * @example
 * ```ts
 * // config/settings.ts
 * import { env } from 'propylon'
 * import { int, optional, string } from 'propylon/converters'
 *
 * const variables = { DATABASE_URL: 'sqlite:var/app.db', PORT: '8080' } // process.env by default
 * export const settings = env({ DATABASE_URL: string, PORT: optional(int, 5000) }, variables)
 * console.log(settings.PORT + 1) // 8081
 * ```
 */
export function env<Converters extends SettingConverters>(
  converters: Converters,
  variables: Variables = globalThis.process?.env ?? {},
): Settings<Converters> {
  const problems: string[] = []
  const settings: Record<string, unknown> = {}
  for (const [name, converter] of Object.entries(converters)) {
    if (!isSchema(converter)) {
      throw new TypeError(
        `env(): ${name} is ${describeValue(converter)}. Pass a Standard Schema, such as int of propylon/converters.`,
      )
    }
    const value = (Object.hasOwn(variables, name) && variables[name]) || undefined
    const result = validate(converter, value)
    if (result.issues === undefined) settings[name] = result.value
    else {
      const messages = new Set(result.issues.map(({ message }) => message))
      for (const message of messages) problems.push(problemOf(name, message, value))
    }
  }
  if (problems.length > 0) throw new SettingsError(problems)
  // Each setting has the type of its converter.
  return Object.freeze(settings) as Settings<Converters>
}

function validate(schema: StandardSchemaV1, value: unknown): StandardSchemaV1.Result<unknown> {
  const result = schema['~standard'].validate(value)
  if (!isPromise(result)) return result
  result.catch(() => undefined)
  throw new TypeError('env() received an asynchronous schema. Settings are read at once: use a synchronous one.')
}

/** Names of variables whose values must not be written to a log. The rest may contain passwords in URLs. */
const PUBLIC = /^(?:HOST|PORT|NODE_ENV|WORKERS|LOG_LEVEL|[A-Z_]*(?:TIMEOUT|LIMIT|SIZE|COUNT|MAX|MIN|PORT|HOST))$/

/** Removes the value of a variable from a message, which a schema may quote. */
function problemOf(name: string, message: string, value: string | undefined): string {
  const isSecret = value !== undefined && !PUBLIC.test(name)
  const text = isSecret ? message.replaceAll(value, '…') : message
  return `${name}: ${text.replace(/\s+/g, ' ')}`
}
