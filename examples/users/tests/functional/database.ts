/** Configures an empty database and cheap hashes for each test file. Import it before the application. */

import { after } from 'node:test'
import { hashCheaply } from 'propylon/passwords'
import { disconnect } from '../../model/meta.ts'

process.env.DATABASE_URL = 'sqlite::memory:'
const { NODE_ENV } = process.env
process.env.NODE_ENV = 'test'
const restoreCost = hashCheaply()
if (NODE_ENV === undefined) delete process.env.NODE_ENV
else process.env.NODE_ENV = NODE_ENV
after(async () => {
  restoreCost()
  await disconnect()
})
