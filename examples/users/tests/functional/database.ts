/** Gives each test file an empty database of its own. Import it before the application is asked anything. */

import { after } from 'node:test'
import { disconnect } from '../../model/meta.ts'

process.env.DATABASE_URL = 'sqlite::memory:'
after(disconnect)
