import { testClient } from './harness.ts'

testClient('PHP: xmlrpc', { command: ['php', '{}/php.php'] })
