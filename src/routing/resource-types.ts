/**
 * What the compiler reads from a resource: the names of its routes and their parameters.
 *
 * @module
 */

import type { NamesIn } from './path-types.ts'
import type { ResourceAction } from './resource.ts'

/** The named routes of a resource. */
export type ResourceNames<Member extends string, Collection extends string, Options> = {
  [Name in CollectionNames<Member, Collection, Options> as `${NameFront<Options>}${Name}`]: {
    required: PathFront<Options>
    optional: never
  }
} & {
  [Name in CollectionNames<Member, Collection, Options> as `formatted_${NameFront<Options>}${Name}`]: {
    required: PathFront<Options> | 'format'
    optional: never
  }
} & {
  [Name in MemberNames<Member, Options> as `${MemberNameFront<Options>}${Name}`]: {
    required: MemberPathFront<Options> | 'id'
    optional: never
  }
} & {
  [Name in MemberNames<Member, Options> as `formatted_${MemberNameFront<Options>}${Name}`]: {
    required: MemberPathFront<Options> | 'id' | 'format'
    optional: never
  }
}

type CollectionNames<Member extends string, Collection extends string, Options> =
  | (Wants<Options, 'index' | 'create'> extends true ? Collection : never)
  | (Wants<Options, 'new'> extends true ? `new_${Member}` : never)
  | `${Further<Options, 'collection'>}_${Collection}`
  | `${Further<Options, 'new'>}_new_${Member}`

type MemberNames<Member extends string, Options> =
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

type NameFront<Options> = Options extends { namePrefix: infer Front extends string }
  ? Front
  : Options extends { parentResource: { memberName: infer Parent extends string } }
    ? `${Parent}_`
    : ''

type PathFront<Options> = Options extends { pathPrefix: infer Front extends string }
  ? NamesIn<Front>['required']
  : Options extends { parentResource: { memberName: infer Parent extends string } }
    ? `${Parent}_id`
    : never

type MemberNameFront<Options> = Options extends { shallow: true } ? '' : NameFront<Options>

type MemberPathFront<Options> = Options extends { shallow: true } ? never : PathFront<Options>

/** Names and parameters of routes that get something in front. */
export type Prefixed<Routes, NamePrefix extends string, PathPrefix extends string> = {
  [Name in keyof Routes & string as `${NamePrefix}${Name}`]: Routes[Name] extends {
    required: infer Required extends string
    optional: infer Optional extends string
  }
    ? { required: Required | NamesIn<PathPrefix>['required']; optional: Optional }
    : never
}
