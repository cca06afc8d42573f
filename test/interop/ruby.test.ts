import { testClient } from './harness.ts'

testClient('Ruby: xmlrpc', { command: ['ruby', '{}/ruby.rb'] })
