/** Documents of services from which types are generated. */

/** An OpenRPC document. */
export const stock = {
  openrpc: '1.3.2',
  info: { title: 'Stock', version: '1.0.0' },
  servers: [{ name: 'Stock', url: './stock' }],
  methods: [
    {
      name: 'stock.find',
      summary: 'Finds an article.',
      params: [
        { name: 'sku', required: true, description: 'its number', schema: { type: 'string' } },
        { $ref: '#/components/contentDescriptors/Limit' },
      ],
      result: { name: 'article', schema: { $ref: '#/components/schemas/article' } },
    },
    { name: 'stock.any', params: [], result: { name: 'result', schema: {} } },
    { name: 'named', paramStructure: 'by-name', params: [] },
    { name: 'call', params: [] },
  ],
  components: {
    contentDescriptors: { Limit: { name: 'limit', schema: { type: 'integer' } } },
    schemas: {
      article: {
        type: 'object',
        properties: {
          sku: { type: 'string' },
          count: { type: ['integer', 'null'] },
          parts: { type: 'array', items: { $ref: '#/components/schemas/article' } },
        },
        required: ['sku'],
      },
    },
  },
}

/** An OpenAPI document. */
export const api = {
  openapi: '3.1.1',
  info: { title: 'Stock', version: '1.0.0' },
  paths: {
    '/stock.find': {
      post: {
        summary: 'Finds an article.',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  sku: { type: 'string', description: 'its\nnumber' },
                  limit: { type: 'integer' },
                },
                required: ['sku'],
              },
            },
          },
        },
        responses: {
          200: { content: { 'application/json; charset=utf-8': { schema: { type: 'number' } } } },
        },
      },
    },
    '/ping': { post: { responses: { 204: {} } } },
    '/pets/{id}': { post: {}, get: {} },
    '/upload': { post: { requestBody: { content: { 'text/plain': {} } } } },
    '/needs-header': { post: { parameters: [{ name: 'x', in: 'header', required: true }] } },
  },
}

const EVIL = `*/ evil() /* '"\`\\\u2028\n\u202e}; evil(); //`
/** An OpenRPC document whose names would end comments and literals. */
export const hostile = {
  openrpc: '1',
  methods: [
    {
      name: EVIL,
      description: EVIL,
      params: [
        { name: EVIL, description: EVIL, schema: { enum: [EVIL] } },
        { name: 'this', schema: { properties: { [EVIL]: { $ref: `#/components/schemas/${EVIL}` } } } },
      ],
      result: { name: EVIL, schema: { $ref: '#/components/schemas/__proto__' } },
    },
    { name: `then.${EVIL}`, params: [] },
    { name: EVIL.slice(1), paramStructure: 'by-name', params: [] },
  ],
  components: { schemas: { [EVIL.replaceAll('/', '~1')]: {}, ['__proto__']: { type: 'string' } } },
}
