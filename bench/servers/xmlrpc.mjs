// The package xmlrpc, the most used one on npm.
import xmlrpc from 'xmlrpc'
import { states } from '../works/data.ts'
import { ready } from './ready.mjs'

const server = xmlrpc.createServer({ host: '127.0.0.1', port: 0 }, () => ready(server.httpServer.address().port))
server.on('test.battingOrder', (_error, [posn], answer) => answer(null, states[posn - 1] ?? 'Out of cheese error.'))
server.on('test.echo', (_error, [value], answer) => answer(null, value))
