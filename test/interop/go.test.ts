import { testClient } from './harness.ts'

testClient('Go: kolo/xmlrpc', {
  command: ['go', 'run', '{}/go/main.go'],
  env: { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: '{tmp}/go', GOFLAGS: '' },
})
