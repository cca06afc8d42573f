import { runPages } from './run-pages.ts'

runPages('docs/security.md')
