/** The parts of this folder that are loaded on first use. */
export { openapiDocument } from './document.ts'
export { viewerResponse } from './viewer.ts'
