import { testClient } from './harness.ts'

testClient('npm: xmlrpc', {
  command: [process.execPath, '{}/npm-xmlrpc.mjs'],
  cannot: { 'integral double': 'it sends every integral number as an int' },
})
