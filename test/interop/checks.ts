/** Names of the checks that every client makes. The test of a client lists those that it cannot make, with the reason. */
export const CHECKS = [
  'demo: system.listMethods',
  'demo: system.methodHelp',
  'demo: system.methodSignature',
  'demo: a state',
  'demo: no state',
  'demo: a fault for a wrong type',
  'demo: a fault for an unknown method',
  'string',
  'empty string',
  'int',
  'double',
  'integral double',
  'boolean',
  'dateTime',
  'base64',
  'array',
  'struct',
  'nested',
  'add',
  'greet',
  'many types',
  'stooges',
  'a fault of its own',
] as const

export type Check = (typeof CHECKS)[number]
