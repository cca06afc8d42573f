import { runPages } from './run-pages.ts'

runPages('docs/guides/**/*.md')
