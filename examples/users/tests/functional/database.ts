/** Configures an empty database for each test file. Import it before the application. */

import { after } from 'node:test'
import { disconnect } from '../../model/meta.ts'

process.env.DATABASE_URL = 'sqlite::memory:'
after(disconnect)
