import { testClient } from './harness.ts'

testClient('C: xmlrpc-c', {
  prepare: ['gcc', '-o', '{tmp}/client', '{}/c/client.c', '-lxmlrpc_client', '-lxmlrpc', '-lxmlrpc_util'],
  command: ['{tmp}/client'],
})
