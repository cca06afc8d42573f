import { testClient } from './harness.ts'

testClient('Perl: Frontier', { command: ['perl', '{}/frontier.pl'] })
