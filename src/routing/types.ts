/**
 * The names and parameters of routes, as types.
 *
 * @module
 */

import type { ResourceAction } from './resource.ts'

/** The parameters of a route: those that generation needs, and those that it can do without. */
export interface PathNames {
  readonly required: string
  readonly optional: string
}

/** The parameters of a path. Suffixes have their dot: `.format`. */
type NamesIn<Path extends string> = string extends Path ? `.${string}` : Named<Path>

type Named<Path extends string, Found extends string = never> = Path extends `${infer Literal}{${infer Rest}`
  ? Literal extends `${string}\\`
    ? Named<Rest, Found>
    : Braced<Rest> extends [infer Name extends string, infer After extends string]
      ? Named<After, Found | OlderIn<Literal> | Name>
      : Found
  : Found | OlderIn<Path>

/** The parameters of a path without its suffixes. */
export type RequiredIn<Path extends string> = Exclude<NamesIn<Path>, `.${string}`>

type Undotted<Name extends string> = Name extends `.${infer Bare}` ? Bare : never

/** The name after an opening brace, and the text after the closing one. */
type Braced<Rest extends string> = Rest extends `${infer Inside}}${infer After}`
  ? Inside extends `${infer Name}:${infer Regex}`
    ? [Name, AfterRegex<Regex, After>]
    : [Inside, After]
  : never

/** Skips the braces of a regular expression, each of which is closed before the parameter is. */
type AfterRegex<Regex extends string, After extends string> = Regex extends `${string}{${infer Inner}`
  ? After extends `${infer More}}${infer Rest}`
    ? AfterRegex<`${Inner}${More}`, Rest>
    : ''
  : After

/** Any name for a text with an older parameter, such as `:name` or `*name`: the compiler does not check these. */
type OlderIn<Literal extends string> =
  Literal extends `${'' | `${string}${'/' | '.' | '-' | ','}`}${':' | '*'}${string}` ? `.${string}` : never

/**
 * The end of the list of known routes: a mapper's type is a linked list of its routes, whose entries have only
 * literal types as arguments. The compiler copies an object type at each instantiation, at a cost that grows with its
 * size, but not a reference to an interface. The entries are collected when a URL is first generated, parameters are
 * computed when a name is looked up.
 */
export type NoRoutes = unknown

/** The list with one more entry. */
export interface Chain<Previous, Entry> {
  readonly previous: Previous
  readonly entry: Entry
}

/** A named route; `Defaults` are the keys of its options. A filter accepts values of any name. */
export interface NamedRoute<Name extends string, Path extends string, Defaults> {
  readonly names: Name
  readonly parameters: 'filter' extends Defaults
    ? unknown
    : {
        readonly required: Exclude<RequiredIn<Path>, Defaults>
        readonly optional: Undotted<NamesIn<Path>> | Extract<RequiredIn<Path>, Defaults>
      }
}

/**
 * The named routes of a resource: routes of the collection, routes of a member, and the parameters of their paths.
 */
export interface NamedResource<
  Collections extends string,
  Members extends string,
  Front extends string,
  MemberFront extends string,
  Defaults,
> {
  readonly names: Collections | Members | `formatted_${Collections | Members}`
  readonly members: Members
  readonly defaults: Defaults
  readonly front: Front
  readonly memberFront: MemberFront
}

/** The routes that `mount()` adds, in the type of a mapper. The compiler computes it: annotate with `typeof map`. */
export interface NamedMount<Routes, Prefix extends string, Path extends string> {
  readonly names: `${Prefix}${keyof Known<Routes> & string}`
  readonly mounted: readonly [Routes, Prefix, Path]
}

/** The names of the routes at the paths of the collection. */
export type CollectionNames<Member extends string, Collection extends string, Options> = `${NameFront<Options>}${
  | (Has<Options, 'index' | 'create'> extends true ? Collection : never)
  | (Has<Options, 'new'> extends true ? `new_${Member}` : never)
  | `${Additional<Options, 'collection'>}_${Collection}`
  | `${Additional<Options, 'new'>}_new_${Member}`}`

/** The names of the routes at the paths of a member. */
export type MemberNames<Member extends string, Options> = `${NameFront<Options>}${
  | (Has<Options, 'show' | 'update' | 'delete'> extends true ? Member : never)
  | (Has<Options, 'edit'> extends true ? `edit_${Member}` : never)
  | `${Additional<Options, 'member'>}_${Member}`}`

/** True if `only` and `except` leave at least one of some actions. */
type Has<Options, Action extends ResourceAction> = [
  Exclude<Extract<OnlyOf<Options>, Action>, ExceptOf<Options>>,
] extends [never]
  ? false
  : true

type OnlyOf<Options> = Options extends { only: readonly (infer Action)[] } ? Action : ResourceAction

type ExceptOf<Options> = Options extends { except: readonly (infer Action)[] } ? Action : never

type Additional<Options, Kind extends string> = Options extends { [Key in Kind]: infer Actions }
  ? keyof Actions & string
  : never

type NameFront<Options> = Options extends { namePrefix: infer Front extends string }
  ? Front
  : Options extends { parentResource: { memberName: infer Parent extends string } }
    ? `${Parent}_`
    : ''

/** The parameters in the prefix of the paths of a resource. */
export type Front<Options> = Options extends { pathPrefix: infer Prefix extends string }
  ? RequiredIn<Prefix>
  : Options extends { parentResource: { memberName: infer Parent extends string } }
    ? `${Parent}_id`
    : never

/** The parameter that names a member. */
export type MemberParam<Options> = Options extends { param: infer Param extends string } ? Param : 'id'

/** A prefix of a sub-mapper. */
export type PrefixOf<Options, Kind extends 'namePrefix' | 'pathPrefix'> = Options extends {
  [Key in Kind]: infer Prefix extends string
}
  ? Prefix
  : ''

/** The entries of a list, four at a time: the compiler limits the depth of a recursion. */
type Entries<Routes, Found = never> = Routes extends {
  previous: {
    previous: { previous: { previous: infer Previous; entry: infer Fourth }; entry: infer Third }
    entry: infer Second
  }
  entry: infer First
}
  ? Entries<Previous, Found | First | Second | Third | Fourth>
  : Routes extends { previous: infer Previous; entry: infer Entry }
    ? Entries<Previous, Found | Entry>
    : Found

/** The entries of a list by the names of their routes. */
export type Known<Routes> = { [Entry in Entries<Routes> as NamesOf<Entry>]: Entry }

type NamesOf<Entry> = Entry extends { readonly names: infer Names extends string } ? Names : never

/** The parameters of the route of an entry that has a name. */
type ParametersIn<Entry, Name> = Entry extends { readonly parameters: infer Parameters }
  ? Parameters
  : Entry extends NamedResource<string, infer Members, infer Front, infer MemberFront, infer Defaults>
    ? 'filter' extends Defaults
      ? unknown
      : {
          readonly required:
            | (Name extends Members | `formatted_${Members}` ? MemberFront : Front)
            | (Name extends `formatted_${string}` ? 'format' : never)
          readonly optional: never
        }
    : Entry extends {
          readonly mounted: readonly [infer Routes, infer Prefix extends string, infer Path extends string]
        }
      ? Below<Name extends `${Prefix}${infer Inner}` ? ParametersOf<Known<Routes>, Inner> : never, RequiredIn<Path>>
      : never

type Below<Parameters, Front extends string> = Parameters extends PathNames
  ? { readonly required: Parameters['required'] | Front; readonly optional: Parameters['optional'] }
  : unknown

type ParametersOf<Routes, Name extends string> = Routes extends { readonly [Key in Name]: infer Entry }
  ? ParametersIn<Entry, Name>
  : unknown

/** A value for a parameter of a path. */
export type ParameterValue = string | number | bigint | boolean

/** A value for the query: a list repeats the key; null and undefined are left out. */
export type QueryValue = ParameterValue | null | undefined | readonly (ParameterValue | null | undefined)[]

/** Parts of a URL that are given among the values. A name followed by an underscore is an ordinary value. */
export interface UrlParts {
  /** The fragment, without `#`. */
  readonly anchor?: string | undefined
  /** The host, with its port if any. */
  readonly host?: string | undefined
  /** `'https'`, or `''` for a URL that begins with `//`. */
  readonly protocol?: string | undefined
  /** True for an absolute URL on the host of the request. */
  readonly qualified?: boolean | undefined
  /** The sub-domain; null for the bare domain. */
  readonly subDomain?: string | null | undefined
  /** The method of the request that the URL is for. It must be one that the route accepts. */
  readonly method?: string | undefined
}

/** Values of any name. */
export interface LooseValues {
  readonly [name: string]: QueryValue
}

/** The values for the parameters of a path, with parts of the URL. */
export type PathValues<Required extends string, Optional extends string> = {
  readonly [Name in Required]: ParameterValue
} & { readonly [Name in Optional]?: ParameterValue | null | undefined } & UrlParts

/** The values of the route with some parameters. */
export type ValuesFor<Parameters> = Parameters extends PathNames
  ? PathValues<Parameters['required'], Parameters['optional']>
  : LooseValues & UrlParts

/** Names the missing values in the compiler's message. No name of a route has this type. */
export interface MissingValues<Names extends string> {
  readonly missing: Names
}

/** Any text if a route needs no values. */
export type NeedsNone<Parameters> = Parameters extends PathNames
  ? [Parameters['required']] extends [never]
    ? unknown
    : MissingValues<Parameters['required']>
  : unknown

/** The names of the routes, or any text if none is known. */
export type RouteName<Routes> = [keyof Known<Routes>] extends [never] ? string : keyof Known<Routes> & string

/** The parameters of the route with a name. */
export type RouteNamed<Routes, Name extends string> = ParametersOf<Known<Routes>, Name>

/** A URL instead of a name: a path below the mount point, or an absolute URL. */
export type RawUrl = `/${string}` | `${string}://${string}`
