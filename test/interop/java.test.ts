import { testClient } from './harness.ts'

testClient('Java: aXMLRPC', {
  command: ['java', '-Dfile.encoding=UTF-8', '-cp', '/usr/share/java/axmlrpc.jar', '{}/java/Client.java'],
})
