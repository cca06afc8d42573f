import { testClient } from './harness.ts'

testClient('Tcl: tcl-xmlrpc', {
  command: ['tclsh', '{}/tcl.tcl'],
  cannot: {
    'demo: system.methodHelp': 'it takes a blank line in a text for the end of the head, and waits for ever',
  },
})
