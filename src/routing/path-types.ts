/**
 * What the compiler reads from a path: the names of its parameters.
 *
 * @module
 */

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
