/** Options of the servers and the differences between them, for all pages that show their figures. */

/** A list in Markdown. */
export const CONDITIONS = `- Each server of node:http has the option \`optimizeEmptyRequests\`, which \`serve()\` of Propylon sets.
- One Zod schema checks the form: by \`body()\` in Propylon, \`fastify-type-provider-zod\`, \`@hono/zod-validator\` and Elysia's \`body\`, and by
  \`safeParse()\` in the bare servers, Express and Koa.
- The JSON passes a schema where the framework has one for results: \`static results\` of Propylon (Zod), and the response schema of Fastify
  (JSON Schema).
- Eta renders the list, except in Hono, which has templates of its own.
- A 404 is the framework's own answer to a path without a route.`
