/**
 * The names and parameters of routes, as the compiler knows them.
 *
 * @module
 */

import type { ResourceAction } from './resource.ts'

/** The names of a path's parameters: those that generation needs, and those that it can do without. */
export interface PathNames {
  readonly required: string
  readonly optional: string
}

/** The names of the parameters of a path. */
export type NamesIn<Path extends string> = string extends Path
  ? { required: never; optional: string }
  : { required: RequiredIn<Path>; optional: OptionalIn<Path> }

type RequiredIn<
  Path extends string,
  Found extends string = never,
> = Path extends `${infer Literal}{${infer Rest}`
  ? Literal extends `${string}\\`
    ? RequiredIn<Rest, Found>
    : Braced<Rest> extends [infer Name extends string, infer After extends string]
      ? RequiredIn<After, Found | OlderIn<Literal> | (Name extends `.${string}` ? never : Name)>
      : Found
  : Found | OlderIn<Path>

/** The names of suffixes: `{.format}`. */
type OptionalIn<Path extends string, Found extends string = never> = Path extends `${string}{.${infer Rest}`
  ? Braced<Rest> extends [infer Name extends string, infer After extends string]
    ? OptionalIn<After, Found | Name>
    : Found
  : Found

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

/** The names of `:name` and `*name`. */
type OlderIn<Literal extends string> = Literal extends `${infer Before}:${infer Rest}`
  ? Unescaped<Before, Identifier<Rest>> | OlderIn<Rest> | StarIn<Before>
  : StarIn<Literal>

type StarIn<Literal extends string> = Literal extends `${infer Before}*${infer Rest}`
  ? Unescaped<Before, Identifier<Rest>> | StarIn<Rest>
  : never

type Unescaped<Before extends string, Name extends string> = Before extends `${string}\\` ? never : Name

/** The name at the beginning of a text, in parentheses or up to a character that ends it. */
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
type ResourceNames<
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

/** The names of the routes at the paths of the collection, without prefixes. */
export type CollectionNames<Member extends string, Collection extends string, Options> =
  | (Has<Options, 'index' | 'create'> extends true ? Collection : never)
  | (Has<Options, 'new'> extends true ? `new_${Member}` : never)
  | `${Additional<Options, 'collection'>}_${Collection}`
  | `${Additional<Options, 'new'>}_new_${Member}`

/** The names of the routes at the paths of a member, without prefixes. */
export type MemberNames<Member extends string, Options> =
  | (Has<Options, 'show' | 'update' | 'delete'> extends true ? Member : never)
  | (Has<Options, 'edit'> extends true ? `edit_${Member}` : never)
  | `${Additional<Options, 'member'>}_${Member}`

/** True if `only` and `except` leave at least one of some actions. */
type Has<Options, Action extends ResourceAction> = [
  Exclude<Extract<Only<Options>, Action>, Except<Options>>,
] extends [never]
  ? false
  : true

type Only<Options> = Options extends { only: readonly (infer Action)[] } ? Action : ResourceAction

type Except<Options> = Options extends { except: readonly (infer Action)[] } ? Action : never

type Additional<Options, Kind extends string> = Options extends { [Key in Kind]: infer Actions }
  ? keyof Actions & string
  : never

/** The prefix of the names of a resource. */
export type NameFront<Options> = Options extends { namePrefix: infer Front extends string }
  ? Front
  : Options extends { parentResource: { memberName: infer Parent extends string } }
    ? `${Parent}_`
    : ''

/** The parameters in the path prefix of a resource. */
export type PathFront<Options> = Options extends { pathPrefix: infer Front extends string }
  ? NamesIn<Front>['required']
  : Options extends { parentResource: { memberName: infer Parent extends string } }
    ? `${Parent}_id`
    : never

/** The prefix of the names of a member's routes. */
export type MemberNameFront<Options> = Options extends { shallow: true } ? '' : NameFront<Options>

/** The parameters in the path prefix of a member. */
export type MemberPathFront<Options> = Options extends { shallow: true } ? never : PathFront<Options>

/** A prefix of a sub-mapper. */
export type PrefixOf<Options, Kind extends 'namePrefix' | 'pathPrefix'> = Options extends {
  [Key in Kind]: infer Prefix extends string
}
  ? Prefix
  : ''

/**
 * The end of the chain of known routes: a mapper's type is a linked list of its routes, whose links have only literal types as
 * arguments. The compiler copies an object type at each instantiation, at a cost that grows with its size, but not a reference
 * to an interface. The list becomes one object type when a name is first looked up; see {@link Known}.
 */
export type NoRoutes = unknown

/** No options. */
export type NoOptions = Record<never, never>

/** A link for one named route. */
export interface RouteLink<Previous, Name extends string, Required extends string, Optional extends string> {
  readonly previous: Previous
  readonly more: { [Key in Name]: { required: Required; optional: Optional } }
}

/** A link for the routes of a resource; `Front` and `MemberFront` are the parameters of the path prefixes. */
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

/** A link for the routes of another chain, with prefixes for names and paths. */
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

/** All routes of a chain in one object type: the parameters by name. */
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

/** The parameters that generation needs: those without a default. */
export type Required<Path extends string, Options> = Exclude<NamesIn<Path>['required'], keyof Options>

/** The parameters that generation can do without. */
export type Optional<Path extends string, Options> =
  | NamesIn<Path>['optional']
  | Extract<NamesIn<Path>['required'], keyof Options>

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

/** The values of a route: its parameters, and any others for the query. */
export type ValuesFor<Names extends PathNames> = { readonly [Name in Names['required']]: ParameterValue } & {
  readonly [Name in Names['optional']]?: ParameterValue | null | undefined
} & UrlParts &
  LooseValues

/** The arguments after the name of a route. The values are optional if no parameter is required. */
export type UrlArguments<Names> = Names extends PathNames
  ? [Names['required']] extends [never]
    ? [values?: ValuesFor<Names>]
    : [values: ValuesFor<Names>]
  : [values?: LooseValues]

/** Shows the parameters of a route in the compiler's message if the values are left out. */
export interface NeedsValues<Names> {
  readonly needs: Names extends PathNames ? Names['required'] : never
}

/** The names of the routes, or any text if none is known. */
export type RouteName<Routes> = [keyof Known<Routes>] extends [never] ? string : keyof Known<Routes> & string

/** The parameters of the route with a name. */
export type RouteNamed<Routes, Name> = Name extends keyof Known<Routes> ? Known<Routes>[Name] : unknown

/** A URL instead of a name: a path below the mount point, or an absolute URL. */
export type RawUrl = `/${string}` | `${string}://${string}`
