/**
 * Schemas without a JSON Schema, of which documents and clients know nothing.
 *
 * @module
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isRecord } from '../../../base/record.ts'
import { errorMessage } from '../../../base/thrown.ts'
import { isUnrestricted, jsonSchemaOf } from '../../../http/converters/json-schema.ts'
import type { Findings } from '../finding.ts'
import { bodyOf, type Method, type Project } from '../project.ts'

/** The package that makes JSON Schemas for the schemas of Valibot. */
const VALIBOT_CONVERTER = '@valibot/to-json-schema'

/** Instructions for the schemas of a library, by the name of its vendor. */
const INSTALLS: ReadonlyMap<string, string> = new Map([
  ['valibot', `Install the package that makes them: npm install ${VALIBOT_CONVERTER}`],
  ['zod', 'Install a version that makes them: npm install zod@latest'],
  ['arktype', 'Install a version that makes them: npm install arktype@latest'],
])

type Schema = NonNullable<Method['result']['schema']>

/** Checks the schemas of the actions that documents describe. A library without JSON Schemas is reported once. */
export function* checkSchemas({ classes, sources }: Project): Findings {
  const reported = new Set<unknown>(hasPackage(VALIBOT_CONVERTER, sources.paths[0]) ? ['valibot'] : [])
  for (const { controllerClass, isService, methods, name: controller } of classes) {
    for (const method of isService ? [] : methods.values()) {
      const { name: action, label } = method
      for (const [argument, schema] of documentedSchemas(method)) {
        const direction = argument === undefined ? 'output' : 'input'
        const fault = jsonSchemaFault(schema, direction)
        if (fault === undefined) continue
        const { vendor } = schema['~standard']
        const install = fault === '' || vendor === 'valibot' ? INSTALLS.get(vendor) : undefined
        const key = install === undefined ? schema : vendor
        if (reported.has(key)) continue
        reported.add(key)
        const path = argument === undefined ? ['results', action] : ['args', action, argument]
        const place = sources.ofEntry(controllerClass, ...path)
        const subject = argument === undefined ? 'the result' : `"${argument}"`
        const message = `The schema for ${subject} of ${label}() has no JSON Schema${fault}, so documents and clients allow any value there.`
        const own = 'Use a library whose schemas have it, or give it ~standard.jsonSchema.'
        const fix = install ?? (fault === '' ? own : `Use a type that JSON has as its ${direction}.`)
        yield { code: 'schema-undescribed', place, message, fix, controller, action, argument }
      }
    }
  }
}

/**
 * Returns the schemas that documents have of an action in `static results`, with their arguments; undefined for the
 * result.
 */
function documentedSchemas(method: Method): readonly (readonly [argument: string | undefined, schema: Schema])[] {
  const { declared, result, isAction } = method
  const body = bodyOf(method)
  if (result.schema === undefined || !isAction) return []
  return [
    ...(declared?.kind === 'converters' ? declared.converters : []),
    ...(body === undefined ? [] : [[body.name, body.declaration.schema] as const]),
    ...(result.schema === null ? [] : [[undefined, result.schema] as const]),
  ]
}

/** Returns why a schema has no JSON Schema, in brackets: empty if its library gives none, undefined if it has one. */
function jsonSchemaFault(schema: Schema, direction: 'input' | 'output'): string | undefined {
  const converter: unknown = Reflect.get(schema['~standard'], 'jsonSchema')
  const convert = isRecord(converter) ? converter[direction] : undefined
  if (typeof convert !== 'function') return ''
  try {
    convert.call(converter, { target: 'draft-2020-12' })
    return undefined
  } catch (error) {
    // Documents may describe a part of the schema all the same.
    if (!isUnrestricted(jsonSchemaOf(schema, direction))) return undefined
    return ` (${errorMessage(error)
      .split('\n', 1)[0]
      ?.replace(/[.\s]+$/, '')})`
  }
}

/** Returns true if a package is installed for the project of a file. */
function hasPackage(name: string, file: string | undefined): boolean {
  const folders = file === undefined ? null : createRequire(file).resolve.paths(name)
  return folders?.some((folder) => existsSync(join(folder, name))) === true
}
