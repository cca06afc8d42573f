/** Configures an empty database and cheap hashes of passwords for each test file. Import it before the application. */

import { after } from 'node:test'
import { hashCheaply } from 'propylon/passwords'
import { disconnect } from '../../model/meta.ts'

process.env.NODE_ENV = 'test'
process.env.DATABASE_URL = 'sqlite::memory:'
hashCheaply()
after(disconnect)
