/** The parts of this folder that are loaded on first use. */
export { answerMCP } from './answer.ts'
export { ApplicationServer } from './application-server.ts'
export { allScopes } from './authorization.ts'
export { catalogueOf } from './exposed.ts'
export { promptApplication } from './prompts.ts'
