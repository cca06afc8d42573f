import { Binary, DateTime, Double } from 'propylon/xmlrpc'

/** Returns a copy of the value whose objects have no prototype, as decoded structs. */
export function structs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structs)
  if (value instanceof DateTime || value instanceof Binary || value instanceof Double) return value
  if (typeof value !== 'object' || value === null) return value
  const struct: Record<string, unknown> = Object.create(null)
  for (const [name, each] of Object.entries(value)) struct[name] = structs(each)
  return struct
}
