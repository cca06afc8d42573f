import { testClient } from './harness.ts'

testClient('Emacs: xml-rpc.el', {
  command: ['emacs', '--batch', '--eval', '(package-initialize)', '-l', '{}/emacs.el'],
})
