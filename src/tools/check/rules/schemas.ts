/**
 * Schemas without a JSON Schema, of which documents and clients know nothing.
 *
 * @module
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type DescribedSchema, documentedSchemas, jsonSchemaFault } from '../descriptions.ts'
import type { Finding } from '../finding.ts'
import { type ControllerModel, type Place, placeOf } from '../model.ts'
import type { Project } from './rule.ts'

/** The package that makes JSON Schemas for the schemas of Valibot. */
const VALIBOT_CONVERTER = '@valibot/to-json-schema'

/** Instructions for the schemas of a library, by the name of its vendor. */
const INSTALLS: ReadonlyMap<string, string> = new Map([
  ['valibot', `Install the package that makes them: npm install ${VALIBOT_CONVERTER}`],
  ['zod', 'Install a version that makes them: npm install zod@latest'],
  ['arktype', 'Install a version that makes them: npm install arktype@latest'],
])

/** Checks the schemas of the actions that documents describe. A library without JSON Schemas is reported once. */
export function* checkSchemas({ descriptions, entries: [entry] }: Project): Iterable<Finding> {
  const reported = new Set<unknown>()
  for (const [model, { actions }] of descriptions) {
    for (const action of actions.values()) {
      for (const described of documentedSchemas(action)) {
        const { vendor } = described.schema['~standard']
        const fault = jsonSchemaFault(described)
        if (fault === undefined || (vendor === 'valibot' && hasPackage(VALIBOT_CONVERTER, entry))) continue
        const install = fault === 'missing' ? INSTALLS.get(vendor) : undefined
        const key = install === undefined ? described.schema : vendor
        if (reported.has(key)) continue
        reported.add(key)
        yield undescribed(model, action.name, described, fault, install)
      }
    }
  }
}

function undescribed(
  model: ControllerModel,
  action: string,
  { argument, direction }: DescribedSchema,
  fault: 'missing' | { readonly reason: string },
  install: string | undefined,
): Finding {
  const subject = argument === undefined ? 'the result' : `"${argument}"`
  const reason = fault === 'missing' ? '' : ` (${fault.reason.split('\n', 1)[0]?.replace(/[.\s]+$/, '')})`
  return {
    code: 'schema-undescribed',
    place: placeOfSchema(model, action, argument) ?? model.methods.get(action)?.place,
    message: `The schema for ${subject} of ${model.className}.${action}() has no JSON Schema${reason}, so documents and clients allow any value there.`,
    fix:
      install ??
      (fault === 'missing'
        ? 'Give it ~standard.jsonSchema (https://standardschema.dev/json-schema), or use a library whose schemas have it.'
        : `Use a type that JSON has ${direction === 'output' ? 'as its output' : 'as its input'}.`),
    controller: model.name,
    action,
    argument,
  }
}

function placeOfSchema(
  model: ControllerModel,
  action: string,
  argument: string | undefined,
): Place | undefined {
  if (argument === undefined) {
    const declared = model.declaredResult(action)
    return declared === undefined || declared === 'unknown'
      ? undefined
      : placeOf(declared.module, declared.node)
  }
  return model.declaredArguments(action).converters.get(argument)?.place
}

/**
 * Returns true if a package is installed for the project.
 *
 * @param entry - path of a module of the project.
 */
function hasPackage(name: string, entry: string | undefined): boolean {
  const folders = entry === undefined ? null : createRequire(entry).resolve.paths(name)
  return folders?.some((folder) => existsSync(join(folder, name))) === true
}
