/** The parts of this folder that make a document. */
export { openapiDocument } from './document.ts'
export { loadClasses } from './operations.ts'
