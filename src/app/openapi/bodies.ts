/** Request bodies of operations. */

import { isRecord } from '../../base/record.ts'
import type { BodyDescription } from '../../controllers/describe.ts'
import type { BodyOptions } from '../../http/converters/body-argument.ts'
import { type JSONSchema, jsonSchemaOf } from '../../http/converters/json-schema.ts'
import { acceptsNothing } from '../../http/converters/schema.ts'
import { pascalCase, type SchemaComponents, schemaAt, stepsOf } from '../../http/converters/schema-components.ts'

/** Returns the request body of an action that takes one. */
export function requestBody({ name, declaration, description }: BodyDescription, schemas: SchemaComponents): object {
  const { schema, options } = declaration
  const described = jsonSchemaOf(schema, 'input')
  const component = pascalCase(name)
  const write = (content: JSONSchema) => ({ schema: schemas.add(content, component, 'input') })
  const { files } = options
  const form = formSchema(withTexts(described, options.texts), described)
  const content =
    files !== undefined
      ? { 'multipart/form-data': write(withFiles(form ?? resolved(described, described), files)) }
      : {
          'application/json': write(described),
          ...(form !== undefined && { 'application/x-www-form-urlencoded': write(form) }),
          ...(form !== undefined &&
            hasFiles(resolved(described, described)) && { 'multipart/form-data': write(described) }),
        }
  return {
    ...(description !== '' && { description }),
    required: files !== undefined || !acceptsNothing(schema),
    content,
  }
}

/** Describes fields of a form by the texts that are converted. */
function withTexts(schema: JSONSchema, texts: BodyOptions['texts']): JSONSchema {
  const { properties, required, ...rest } = schema
  if (texts === undefined || !isRecord(properties)) return schema
  const entries = Object.entries(texts)
  const optional = entries.flatMap(([name, text]) => (acceptsNothing(text) ? [name] : []))
  const needed = Array.isArray(required) ? required.filter((name) => !optional.includes(name)) : []
  const fields = Object.fromEntries(entries.map(([name, text]) => [name, jsonSchemaOf(text, 'input')]))
  return {
    ...rest,
    properties: { ...properties, ...fields },
    ...(needed.length > 0 && { required: needed }),
  }
}

/**
 * Returns the schema of a form, whose values are text, files and lists of them. Fields that need not be sent and take
 * other values are left out. Undefined if the body is not an object, or requires another value.
 */
function formSchema(schema: JSONSchema, root: JSONSchema, outer: readonly JSONSchema[] = []): JSONSchema | undefined {
  const target = resolved(schema, root)
  if (typeof target.$ref === 'string' || Object.keys(target).length === 0) return schema
  if (target.type !== 'object')
    return outer.includes(target) ? undefined : formAlternatives(target, root, [...outer, target])
  const { properties, required = [] } = target
  if (!isRecord(properties)) return schema
  const others = Object.entries(properties).flatMap(([name, field]) => (takesText(field, root) ? [] : [name]))
  if (others.length === 0) return schema
  if (Array.isArray(required) && others.some((name) => required.includes(name))) return undefined
  const texts = Object.entries(properties).filter(([name]) => !others.includes(name))
  const { title, ...rest } = target
  return { ...definitionsOf(root), ...rest, properties: Object.fromEntries(texts) }
}

/**
 * Returns a schema of alternatives without those that no form can be. Undefined if none is left, or for other
 * schemas.
 */
function formAlternatives(schema: JSONSchema, root: JSONSchema, outer: readonly JSONSchema[]): JSONSchema | undefined {
  const keyword = ['anyOf', 'oneOf', 'allOf'].find((word) => Array.isArray(schema[word]))
  if (keyword === undefined) return undefined
  const all = [schema[keyword]].flat()
  const forms = all.flatMap((each) => (isRecord(each) ? (formSchema(each, root, outer) ?? []) : []))
  const isForm = keyword === 'allOf' ? forms.length === all.length : forms.length > 0
  return isForm ? { ...definitionsOf(root), ...schema, [keyword]: forms } : undefined
}

/** Returns true if a field of a form can have a value of a schema. In case of doubt true. */
function takesText(field: unknown, root: JSONSchema, seen = new Set<JSONSchema>()): boolean {
  if (!isRecord(field)) return field !== false
  const schema = resolved(field, root)
  // An alternative that leads back to itself adds no value.
  if (seen.has(schema)) return false
  seen.add(schema)
  const { type, anyOf, oneOf, items, prefixItems, enum: values, const: only } = schema
  const alternatives = Array.isArray(anyOf) ? anyOf : oneOf
  if (Array.isArray(alternatives)) return alternatives.some((each) => takesText(each, root, seen))
  if (Array.isArray(values)) return values.some((value) => typeof value === 'string')
  if (only !== undefined) return typeof only === 'string'
  if (Array.isArray(prefixItems)) return prefixItems.every((each) => takesText(each, root, seen))
  if (type === 'array') return takesText(items, root, seen)
  return type === undefined || [type].flat().includes('string')
}

/** Returns the schema to which a schema refers. A reference that leads nowhere, or back to itself, stays. */
function resolved(schema: JSONSchema, root: JSONSchema): JSONSchema {
  const seen = new Set<JSONSchema>()
  let target = schema
  while (typeof target.$ref === 'string' && target.$ref.startsWith('#') && !seen.has(target)) {
    seen.add(target)
    const next = schemaAt(root, stepsOf(target.$ref))
    if (next === undefined) break
    target = next
  }
  return target
}

/** Returns the definitions of a schema, to which a part of it may refer. */
function definitionsOf({ $defs, definitions }: JSONSchema): JSONSchema {
  return { ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) }
}

/** Returns true if a schema has fields with binary content. */
function hasFiles({ properties }: JSONSchema): boolean {
  if (!isRecord(properties)) return false
  return Object.values(properties).some((field) => isFile(field) || (isRecord(field) && isFile(field.items)))
}

function isFile(schema: unknown): boolean {
  return isRecord(schema) && (schema.format === 'binary' || schema.contentEncoding === 'binary')
}

/** Describes the named fields as files, because a schema cannot express the class of their values. */
function withFiles(schema: JSONSchema, files: Readonly<Record<string, unknown>>): JSONSchema {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const fields = Object.entries(files).map(([name, options]): [string, JSONSchema] => {
    const isList = isRecord(options) && typeof options.count === 'number' && options.count > 1
    return [name, isList ? { type: 'array', items: FILE } : FILE]
  })
  return { ...schema, type: 'object', properties: { ...properties, ...Object.fromEntries(fields) } }
}

const FILE: JSONSchema = { type: 'string', format: 'binary' }
