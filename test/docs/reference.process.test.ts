import { runPages } from './run-pages.ts'

runPages('README.md', 'docs/reference/**/*.md')
