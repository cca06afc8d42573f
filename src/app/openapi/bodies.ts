/** Request bodies of operations. */

import { isRecord } from '../../base/record.ts'
import type { BodyDescription } from '../../controllers/action-description.ts'
import { type JSONSchema, jsonSchemaOf } from '../../http/converters/json-schema.ts'
import { acceptsNothing } from '../../http/converters/schema.ts'
import { pascalCase, type SchemaComponents } from '../../http/converters/schema-components.ts'

/** Returns the request body of an action that takes one. */
export function requestBody(
  { name, declaration, description }: BodyDescription,
  schemas: SchemaComponents,
): object {
  const { schema, options } = declaration
  const described = jsonSchemaOf(schema, 'input')
  const component = pascalCase(name)
  const write = (content: JSONSchema) => ({ schema: schemas.add(content, component, 'input') })
  const { files } = options
  const form = formSchema(described)
  const content =
    files !== undefined
      ? { 'multipart/form-data': write(withFiles(form ?? described, files)) }
      : {
          'application/json': write(described),
          ...(form !== undefined && { 'application/x-www-form-urlencoded': write(form) }),
          ...(form !== undefined && hasFiles(described) && { 'multipart/form-data': write(described) }),
        }
  return {
    ...(description !== '' && { description }),
    required: files !== undefined || !acceptsNothing(schema),
    content,
  }
}

/**
 * Returns the schema of a form, whose values are text, files and lists of them. Fields that need not be sent and take other values are left
 * out. Undefined if the body is not an object, or requires another value.
 */
function formSchema(schema: JSONSchema): JSONSchema | undefined {
  // The type of a schema that only refers to another is not resolved here.
  if (typeof schema.$ref === 'string' || Object.keys(schema).length === 0) return schema
  if (schema.type !== 'object') return formAlternatives(schema)
  const { properties, required = [] } = schema
  if (!isRecord(properties)) return schema
  const others = Object.entries(properties).flatMap(([name, field]) => (takesText(field) ? [] : [name]))
  if (others.length === 0) return schema
  if (Array.isArray(required) && others.some((name) => required.includes(name))) return undefined
  const texts = Object.entries(properties).filter(([name]) => !others.includes(name))
  const { title, ...rest } = schema
  return { ...rest, properties: Object.fromEntries(texts) }
}

/** Returns a schema of alternatives without those that no form can be. Undefined if none is left, or for other schemas. */
function formAlternatives(schema: JSONSchema): JSONSchema | undefined {
  const keyword = ['anyOf', 'oneOf', 'allOf'].find((word) => Array.isArray(schema[word]))
  if (keyword === undefined) return undefined
  const all = [schema[keyword]].flat()
  const forms = all.flatMap((each) => (isRecord(each) ? (formSchema(each) ?? []) : []))
  const isForm = keyword === 'allOf' ? forms.length === all.length : forms.length > 0
  return isForm ? { ...schema, [keyword]: forms } : undefined
}

/** Returns true if a field of a form can have a value of a schema. In case of doubt true. */
function takesText(schema: unknown): boolean {
  if (!isRecord(schema)) return schema !== false
  const { type, anyOf, oneOf, items, enum: values, const: only } = schema
  const alternatives = Array.isArray(anyOf) ? anyOf : oneOf
  if (Array.isArray(alternatives)) return alternatives.some(takesText)
  if (Array.isArray(values)) return values.some((value) => typeof value === 'string')
  if (only !== undefined) return typeof only === 'string'
  if (type === 'array') return takesText(items)
  return type === undefined || [type].flat().includes('string')
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
