import fc from 'fast-check'

/** Arbitrary schemas, which refer to each other. */
export const { anySchema } = fc.letrec<{ anySchema: unknown }>((tie) => {
  const schema = tie('anySchema')
  const schemas = fc.array(schema, { maxLength: 3 })
  const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a-b', ''), fc.string())
  return {
    anySchema: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.boolean(),
      fc.record({ $ref: fc.nat(299).map((i) => `#/components/schemas/s${i}`) }),
      fc.record({ type: fc.constantFrom('string', 'number', 'boolean', 'null', 'array', 'object', 5) }),
      fc.record({ enum: fc.array(fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null))) }),
      fc.record({ type: fc.constant('array'), items: schema }),
      fc.record({ type: fc.constant('array'), prefixItems: schemas, items: schema, minItems: fc.nat(3) }),
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(name, schema, { maxKeys: 3 }),
        required: fc.array(name, { maxLength: 3 }),
        additionalProperties: schema,
      }),
      fc.record({ anyOf: schemas, allOf: schemas, description: name }),
      fc.record({ oneOf: schemas }),
      fc.record({ oneOf: schemas, type: fc.constant(['string', 'array', 'object']), items: schema }),
    ),
  }
})
