import { testClient } from './harness.ts'

testClient('Perl: RPC::XML', { command: ['perl', '{}/rpc_xml.pl'] })
