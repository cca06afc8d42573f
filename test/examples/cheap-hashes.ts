/** Makes hashes of passwords cheap in a server that tests start: `node --import ./test/examples/cheap-hashes.ts …`. */
import { hashCheaply } from 'propylon/passwords'

const { NODE_ENV } = process.env
process.env.NODE_ENV = 'test'
hashCheaply()
if (NODE_ENV === undefined) delete process.env.NODE_ENV
else process.env.NODE_ENV = NODE_ENV
