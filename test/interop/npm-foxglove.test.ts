import { testClient } from './harness.ts'

testClient('npm: @foxglove/xmlrpc', {
  command: [process.execPath, '{}/npm-foxglove.mjs'],
  cannot: { 'integral double': 'it sends every integral number as an int' },
})
