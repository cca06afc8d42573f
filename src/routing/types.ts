/**
 * What the compiler reads from a path: the names of its parameters.
 *
 * @module
 */

import type { ResourceAction } from './resource.ts'

/** The names in a path, those that generation needs and those that it can do without. */
export interface PathNames {
  readonly required: string
  readonly optional: string
}

/** The names of a path's parameters, as a route's generation wants them. */
export type NamesIn<Path extends string> = string extends Path
  ? { required: never; optional: string }
  : { required: RequiredIn<Path>; optional: OptionalIn<Path> }

/** The names of the parameters that a path cannot do without. */
type RequiredIn<
  Path extends string,
  Found extends string = never,
> = Path extends `${infer Literal}{${infer Rest}`
  ? Literal extends `${string}\\`
    ? RequiredIn<Rest, Found>
    : Braced<Rest> extends [infer Name extends string, infer After extends string]
      ? RequiredIn<After, Found | OldIn<Literal> | (Name extends `.${string}` ? never : Name)>
      : Found
  : Found | OldIn<Path>

/** The names of a path's suffixes: `{.format}`. */
type OptionalIn<Path extends string, Found extends string = never> = Path extends `${string}{.${infer Rest}`
  ? Braced<Rest> extends [infer Name extends string, infer After extends string]
    ? OptionalIn<After, Found | Name>
    : Found
  : Found

/** The name of what a brace opens, and what follows the brace that closes it. */
type Braced<Rest extends string> = Rest extends `${infer Inside}}${infer After}`
  ? Inside extends `${infer Name}:${infer Regex}`
    ? [Name, Closed<Regex, After>]
    : [Inside, After]
  : never

/** Skips the braces inside of a regular expression: each that it opens is closed before the parameter is. */
type Closed<Regex extends string, After extends string> = Regex extends `${string}{${infer Inner}`
  ? After extends `${infer More}}${infer Rest}`
    ? Closed<`${Inner}${More}`, Rest>
    : ''
  : After

/** The names of `:name` and `*name` in literal text. */
type OldIn<Literal extends string> = Literal extends `${infer Before}:${infer Rest}`
  ? Escaped<Before, Identifier<Rest>> | OldIn<Rest> | StarIn<Before>
  : StarIn<Literal>

type StarIn<Literal extends string> = Literal extends `${infer Before}*${infer Rest}`
  ? Escaped<Before, Identifier<Rest>> | StarIn<Rest>
  : never

/** A backslash in front makes a sign literal. */
type Escaped<Before extends string, Name extends string> = Before extends `${string}\\` ? never : Name

/** What `:` or `*` begins: a name, in parentheses or up to a character that ends it; none where no name can begin so. */
type Identifier<Text extends string> = Text extends `(${infer Name})${string}` ? Name : NotEmpty<UpTo<Text>>

type UpTo<Text extends string> = Until<
  Until<Until<Until<Until<Until<Until<Until<Text, '/'>, ','>, ';'>, '.'>, '#'>, '-'>, ':'>,
  '*'
>

type NotEmpty<Name extends string> = Name extends '' | `${Digit}${string}` ? never : Name

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9

type Until<Text extends string, End extends string> = Text extends `${infer Front}${End}${string}`
  ? Front
  : Text

/** The named routes of a resource. */
export type ResourceNames<
  Collections extends string,
  Members extends string,
  NamePrefix extends string,
  Front extends string,
  MemberNamePrefix extends string,
  MemberFront extends string,
> = {
  [Name in Collections as `${NamePrefix}${Name}`]: { required: Front; optional: never }
} & {
  [Name in Collections as `formatted_${NamePrefix}${Name}`]: { required: Front | 'format'; optional: never }
} & {
  [Name in Members as `${MemberNamePrefix}${Name}`]: { required: MemberFront | 'id'; optional: never }
} & {
  [Name in Members as `formatted_${MemberNamePrefix}${Name}`]: {
    required: MemberFront | 'id' | 'format'
    optional: never
  }
}

/** The names at the collection's paths, without prefixes. */
export type CollectionNames<Member extends string, Collection extends string, Options> =
  | (Wants<Options, 'index' | 'create'> extends true ? Collection : never)
  | (Wants<Options, 'new'> extends true ? `new_${Member}` : never)
  | `${Further<Options, 'collection'>}_${Collection}`
  | `${Further<Options, 'new'>}_new_${Member}`

/** The names at a member's paths, without prefixes. */
export type MemberNames<Member extends string, Options> =
  | (Wants<Options, 'show' | 'update' | 'delete'> extends true ? Member : never)
  | (Wants<Options, 'edit'> extends true ? `edit_${Member}` : never)
  | `${Further<Options, 'member'>}_${Member}`

/** Whether at least one of some actions is left in. */
type Wants<Options, Action extends ResourceAction> = [
  Exclude<Extract<Only<Options>, Action>, Except<Options>>,
] extends [never]
  ? false
  : true

type Only<Options> = Options extends { only: readonly (infer Action)[] } ? Action : ResourceAction

type Except<Options> = Options extends { except: readonly (infer Action)[] } ? Action : never

type Further<Options, Kind extends string> = Options extends { [Key in Kind]: infer Actions }
  ? keyof Actions & string
  : never

/** What stands in front of the collection's names. */
export type NameFront<Options> = Options extends { namePrefix: infer Front extends string }
  ? Front
  : Options extends { parentResource: { memberName: infer Parent extends string } }
    ? `${Parent}_`
    : ''

/** The parameters in front of the collection's path. */
export type PathFront<Options> = Options extends { pathPrefix: infer Front extends string }
  ? NamesIn<Front>['required']
  : Options extends { parentResource: { memberName: infer Parent extends string } }
    ? `${Parent}_id`
    : never

/** What stands in front of a member's names. */
export type MemberNameFront<Options> = Options extends { shallow: true } ? '' : NameFront<Options>

/** The parameters in front of a member's path. */
export type MemberPathFront<Options> = Options extends { shallow: true } ? never : PathFront<Options>

/** The end of the chain: no routes are known. Any mapper is a `Mapper` of these, too. */
export type NoRoutes = unknown

/** No options at all. */
export type NoOptions = Record<never, never>

/** One more named route. */
export interface RouteLink<Previous, Name extends string, Required extends string, Optional extends string> {
  readonly previous: Previous
  readonly more: { [Key in Name]: { required: Required; optional: Optional } }
}

/** The routes of a resource. `Front` are the parameters in its path's prefix, `MemberFront` those in its members'. */
export interface ResourceLink<
  Previous,
  Collections extends string,
  Members extends string,
  NamePrefix extends string,
  Front extends string,
  MemberNamePrefix extends string,
  MemberFront extends string,
> {
  readonly previous: Previous
  readonly more: ResourceNames<Collections, Members, NamePrefix, Front, MemberNamePrefix, MemberFront>
}

/** The routes of another chain, with something in front of names and paths. */
export interface MountLink<Previous, Other, NamePrefix extends string, Front extends string> {
  readonly previous: Previous
  readonly more: Prefixed<Known<Other>, NamePrefix, Front>
}

type Prefixed<Routes, NamePrefix extends string, Front extends string> = {
  [Name in keyof Routes & string as `${NamePrefix}${Name}`]: Routes[Name] extends {
    required: infer Required extends string
    optional: infer Optional extends string
  }
    ? { required: Required | Front; optional: Optional }
    : never
}

/** All routes of a chain in one type: names, and the parameters of each. */
export type Known<Routes, Found = Record<never, never>> = Routes extends {
  previous: {
    previous: {
      previous: { previous: infer Previous; more: infer Fourth }
      more: infer Third
    }
    more: infer Second
  }
  more: infer First
}
  ? Known<Previous, Found & First & Second & Third & Fourth>
  : Routes extends { previous: infer Previous; more: infer More }
    ? Known<Previous, Found & More>
    : { [Name in keyof Found]: Found[Name] }

/** What generation cannot do without: a parameter with a default can be left out. */
export type Required<Path extends string, Options> = Exclude<NamesIn<Path>['required'], keyof Options>

/** What generation can do without. */
export type Optional<Path extends string, Options> =
  | NamesIn<Path>['optional']
  | Extract<NamesIn<Path>['required'], keyof Options>

/** A value for a parameter of a path. */
export type ParameterValue = string | number | bigint | boolean

/** A value for the query: a list repeats the key; null and undefined leave it out. */
export type QueryValue = ParameterValue | null | undefined | readonly (ParameterValue | null | undefined)[]

/** What shapes the URL beside the route: each may also be written with an underscore behind to be an ordinary value. */
export interface UrlParts {
  /** The fragment, without `#`. */
  readonly anchor?: string | undefined
  /** The host to lead to, with its port if any. */
  readonly host?: string | undefined
  /** `'https'`, or `''` for a URL that begins with `//`. */
  readonly protocol?: string | undefined
  /** True for an absolute URL on the present host. */
  readonly qualified?: boolean | undefined
  /** The sub-domain to lead to; null for the bare domain. */
  readonly subDomain?: string | null | undefined
  /** The method that the URL is meant for: an error when the route does not take it. */
  readonly method?: string | undefined
}

/** Values without any names to check them against. */
export interface LooseValues {
  readonly [name: string]: QueryValue
}

/** The values that a route takes: its parameters, and anything else for the query. */
export type ValuesFor<Names extends PathNames> = { readonly [Name in Names['required']]: ParameterValue } & {
  readonly [Name in Names['optional']]?: ParameterValue | null | undefined
} & UrlParts &
  LooseValues

/** The arguments behind a route's name: the values may be left out where none is needed. */
export type UrlArguments<Names> = Names extends PathNames
  ? [Names['required']] extends [never]
    ? [values?: ValuesFor<Names>]
    : [values: ValuesFor<Names>]
  : [values?: LooseValues]

/** What the compiler's message shows if the values of a route are left out. */
export interface NeedsValues<Names> {
  readonly needs: Names extends PathNames ? Names['required'] : never
}

/** The names that may be given: those of the routes, or any where none is known. */
export type RouteName<Routes> = [keyof Known<Routes>] extends [never] ? string : keyof Known<Routes> & string

/** What the route of a name takes. */
export type RouteNamed<Routes, Name> = Name extends keyof Known<Routes> ? Known<Routes>[Name] : unknown

/** A URL instead of a name: it gets the mount point in front, or is taken as it is. */
export type RawUrl = `/${string}` | `${string}://${string}`

/** A prefix of a sub-mapper. */
export type PrefixOf<Options, Kind extends 'namePrefix' | 'pathPrefix'> = Options extends {
  [Key in Kind]: infer Prefix extends string
}
  ? Prefix
  : ''
