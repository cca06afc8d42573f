/**
 * The changes of version 0.3 that need another source text: names that have moved, and what only a person can change.
 *
 * @module
 */

/** A name in another entry, or another name. */
export interface NewPlace {
  readonly entry: string
  readonly name: string
}

/** Text that may need a change. */
export interface Notice {
  readonly pattern: RegExp
  readonly message: string
}

const HTTP =
  'AcceptRange CacheDirectives ConditionalRequest DEFAULT_LIMITS EntityTag EntityTagList ExceptionClass Form HeaderList MediaType ParseQueryOptions PreconditionResult Preconditions QueryParams RequestHeaders TooManyFieldsError Validators accepts acceptsEncoding acceptsLanguage entityTagOf evaluatePreconditions exceptionFor formatCookie formatHttpDate formatLocation isStrongMatch isWeakMatch makeException parseAccept parseCookies parseEntityTags parseHttpDate parseMediaType parseQuery toEntityTag'
const ROUTING =
  'BuilderKind Chain MapperKind NamedMount NamedResource NamedRoute NoOptions RouteBuilder RouteDefinition RouteExtras ScopeOptions Undotted With'

const placesIn = (entry: string, names: string): [string, NewPlace][] =>
  names.split(' ').map((name) => [name, { entry, name }])

/** Names that the entry `propylon` has no longer, with their new places. */
export const MOVED: ReadonlyMap<string, NewPlace> = new Map([
  ...placesIn('propylon/http', HTTP),
  ...placesIn('propylon/routing', ROUTING),
  ...placesIn('propylon/rpc', 'JSONRPCErrorCode'),
  ['PartHeaders', { entry: 'propylon/http', name: 'RequestHeaders' }],
])

/** Names that no entry has, by the entry that had them. */
export const REMOVED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'propylon',
    new Set(
      'CHANGES DefineRoute FillingConnection Found IsMisspelt IsNear MisspeltOf PartContent PartHeader PartSizes PartSource PartStart RoutingEnviron SessionChanges Shortened StreamedBody TextOptions'.split(
        ' ',
      ),
    ),
  ],
  ['propylon/decorators', new Set(['Instead'])],
  ['propylon/routing', new Set(['DefinitionSettings'])],
  ['propylon/rpc', new Set(['DEFAULT_ALLOW', 'FACE_NAMES', 'Instead'])],
  ['propylon/testing', new Set(['Element'])],
])

/** Uses whose meaning has changed. Each is looked for in every line. */
export const NOTICES: readonly Notice[] = [
  {
    pattern: /\.flash\(\s*[^,)]+,/,
    message: 'session.flash() adds a message. It replaced the message of the same name.',
  },
  {
    pattern: /\bextends\s+JSONRPCController\b/,
    message:
      'JSONRPCController has no system_* methods and no face xmlrpc. Extend RPCController if you need them.',
  },
  {
    pattern: /^\s*(?:async\s+)?\*?t\s*\([^)]*\)[^;]*\{\s*$/,
    message: 'this.t() writes messages now. Give an action of the name t another name.',
  },
  {
    pattern: /\btrustProxy\b|--trust-proxy\b/,
    message:
      "Servers read X-Forwarded-* only. Set proxyHeaders: 'forwarded' if your proxy writes the field Forwarded.",
  },
  {
    pattern: /\b(?:ParameterDescription|ProcedureDescription)\b/,
    message: 'The type is not exported any more. Read the OpenRPC or OpenAPI document of the service.',
  },
  {
    pattern: /\bcontentType\s*[=:]\s*['"]text\/[\w.+-]+['"]/,
    message: 'charset=utf-8 is added to text types without a charset.',
  },
  {
    pattern: /\bhashPassword\(/,
    message: 'A hash takes 128 MiB and about 0.4 s. Use hashCheaply() in tests.',
  },
]
