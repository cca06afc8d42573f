import { testClient } from './harness.ts'

testClient('Lua: lua-xmlrpc', {
  command: ['lua5.1', '{}/lua.lua'],
  cannot: {
    dateTime: 'it sends no dates',
    base64: 'it sends no bytes',
    'many types': 'it sends neither dates nor bytes',
  },
})
