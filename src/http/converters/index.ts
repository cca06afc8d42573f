/**
 * Converters of arguments: Standard Schemas (https://standardschema.dev) that convert the text of a URL to a value.
 *
 * @module
 */

export type { FileRule, FileRules } from '../body/uploads.ts'
export {
  type BodyArgument,
  type BodyArguments,
  type BodyOptions,
  body,
  type ListField,
} from './body-argument.ts'
export type { Arguments, Converter, ConverterProps } from './converter.ts'
export { list } from './list.ts'
export { optional } from './optional.ts'
export { bool, int, intBetween, isoDate, number, slug, string, uuid } from './scalars.ts'
