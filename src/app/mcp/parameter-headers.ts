/** Header fields that repeat arguments of a tool (Streamable HTTP, "Custom Headers from Tool Parameters"). */
import { isRecord } from '../../base/record.ts'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import type { Environ } from '../../wsgi/types.ts'
import { checkHeader } from './envelope.ts'

/**
 * Checks the header fields `Mcp-Param-…` that `x-mcp-header` in the schema of the arguments names.
 *
 * @throws JSONRPCError - -32020: one is missing, or has another value than the body.
 */
export function checkParameterHeaders(environ: Environ, schema: JSONSchema, value: unknown): void {
  const { properties } = schema
  if (!isRecord(properties) || !isRecord(value)) return
  for (const [name, property] of Object.entries(properties)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    if (!isRecord(property) || given === undefined || given === null) continue
    const { 'x-mcp-header': header } = property
    if (typeof header === 'string') checkHeader(environ, `Mcp-Param-${header}`, given)
    checkParameterHeaders(environ, property, given)
  }
}
