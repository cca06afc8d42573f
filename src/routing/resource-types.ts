/**
 * What the compiler reads from a resource: the names of its routes and their parameters.
 *
 * @module
 */

import type { NamesIn } from './path-types.ts'
import type { ResourceAction } from './resource.ts'

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
