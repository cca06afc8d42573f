import { documentOf } from './generated.ts'

export const EVIL = `*/ evil() /* '"\`\\\u2028\n\u202e]); evil(); // @ts-expect-error`

/** Returns a document of which every name and text is hostile. */
export function hostile(): object {
  const schema = { $ref: `#/components/schemas/${encodeURIComponent(EVIL.replaceAll('/', '~1'))}` }
  const json = { content: { 'application/json': { schema } } }
  const operation = {
    operationId: EVIL,
    tags: [EVIL],
    summary: `${EVIL} \${evil()} }`,
    description: `${EVIL}\n@ts-ignore`,
    deprecated: true,
    parameters: ['path', 'query', 'header'].map((place) => ({
      name: EVIL,
      in: place,
      description: EVIL,
      schema: { enum: [EVIL] },
    })),
    'x-codegen-request-body-name': EVIL,
    requestBody: { content: { [EVIL]: {}, 'application/json; a=*/evil()': { schema } } },
    responses: { 200: json, [EVIL]: json, '2XX': { content: { '*/*': { schema } } } },
  }
  const schemas = {
    [EVIL]: {
      description: EVIL,
      required: [EVIL],
      properties: { [EVIL]: { description: EVIL, const: EVIL }, ['__proto__']: {}, constructor: {} },
    },
    ['__proto__']: { type: 'string' },
  }
  const document = {
    ...documentOf(
      {
        [`/${EVIL}/{${EVIL}}`]: { put: operation },
        '/constructor': { get: { tags: ['constructor'], operationId: 'constructor_name' } },
      },
      { schemas },
    ),
    info: { title: EVIL, version: EVIL },
  }
  return document
}
