import { testClient } from './harness.ts'

testClient('Python: xmlrpc.client', { command: ['python3', '{}/python.py'] })
