import { OTHER_PAGES } from './blocks.ts'
import { runPages } from './run-pages.ts'

runPages(...OTHER_PAGES)
