/**
 * Controllers as the checks see them, read from sources or from loaded classes.
 *
 * @module
 */
import type { STATIC_LISTS, STATIC_RECORDS } from '../../controllers/vocabulary.ts'
import type { SourceModule } from './modules.ts'
import type { Shape } from './shapes.ts'
import type { ClassNode, FunctionNode, SyntaxNode } from './syntax.ts'

/** A place in a file. Lines and columns are counted from 1. */
export interface Place {
  /** Absolute path. */
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A node and the module that contains it. */
export interface Located<Node extends SyntaxNode = SyntaxNode> {
  readonly module: SourceModule
  readonly node: Node
}

/** A parameter of a method. */
export interface ParameterModel {
  readonly name: string
  readonly place?: Place | undefined
  /** The annotated type, or the type of the default; undefined if there is neither. */
  readonly shape?: Shape | undefined
}

/** A method of a controller. */
export interface MethodModel {
  readonly name: string
  /** Class and method: `UsersController.show`. */
  readonly label: string
  readonly place: Place | undefined
  readonly parameters: readonly ParameterModel[]
  /** Whether it receives every argument: `show({ ...all })`. */
  readonly takesAll: boolean
  /** The function in the source; undefined for a method that was read from a loaded class. */
  readonly source?: Located<FunctionNode> | undefined
  /** The function of a loaded class; undefined for a method that was read from the source. */
  readonly loaded?: object | undefined
  /** Whether the source declares it `private` or `protected`, so that it is meant as a helper. */
  readonly isHelper?: boolean
}

/** A decorator of a method. */
export interface Decoration {
  /** The name in `propylon/decorators`; undefined for the application's own. */
  readonly decorator: string | undefined
  /** The expression in the source. */
  readonly text: string
  /** The arguments of its call. */
  readonly arguments: readonly SyntaxNode[]
  readonly module: SourceModule
  readonly place: Place
}

/** A list of decorators and the method that it names. */
export interface Decorated {
  readonly method: string
  readonly place: Place
  readonly decorations: readonly Decoration[]
}

/** A text of the source. */
export interface NamedText {
  readonly name: string
  readonly place?: Place | undefined
}

/** The argument that `body()` declares. */
export interface BodyModel {
  /** The method that shows an invalid form again; undefined if there is none, or if the source does not say it. */
  readonly form: NamedText | undefined
  /** The fields that are lists, as far as the source names them. */
  readonly lists: readonly NamedText[]
  /** The schema. Undefined if the class is not in a source. */
  readonly schema?: Located | undefined
}

/** A converter of an argument. */
export interface ConverterModel {
  /** The shape of its values. */
  readonly shape: Shape
  readonly place?: Place | undefined
  /** The expression in the source, or the name of the schema. */
  readonly text: string
  /** Description of the value, if it certainly is not a Standard Schema. */
  readonly fault?: string | undefined
  /** Undefined if the argument is not the body of the request. */
  readonly body?: BodyModel | undefined
}

/** The declaration of a method in `static args`. */
export interface ArgumentDeclaration {
  /** The names of the parameters, if it is a list of names. */
  readonly names?: readonly ParameterModel[] | undefined
  readonly converters: ReadonlyMap<string, ConverterModel>
  /** False if there may be further names or converters. */
  readonly isComplete: boolean
  /** Whether a subclass overrides the method for which they were declared. It may take fewer arguments. */
  readonly isOverridden: boolean
}

/** The declaration of a method without names and converters. */
export const UNDECLARED: ArgumentDeclaration = {
  converters: new Map(),
  isComplete: true,
  isOverridden: false,
}

/** A declaration that the source does not write out. */
export const UNKNOWN_ARGUMENTS: ArgumentDeclaration = { ...UNDECLARED, isComplete: false }

export type StaticRecord = (typeof STATIC_RECORDS)[number]
export type StaticList = (typeof STATIC_LISTS)[number]

/** An entry of a static record by method name, or of a static list. */
export interface StaticEntry {
  readonly record: StaticRecord | StaticList
  readonly name: string
  readonly place: Place
  /** The value if it is a text. */
  readonly text: string | undefined
  /** The value. In a list, the name itself. */
  readonly value: Located
}

/** A controller that is a class. */
export interface ControllerModel {
  /** The name in routes: `admin/users`. */
  readonly name: string
  readonly className: string
  readonly place: Place | undefined
  /** Whether its actions are methods of a service (XML-RPC, JSON-RPC, …), which no route names. */
  readonly isService: boolean
  /** The faces of a service (`json`), as far as they are known. */
  readonly faces: readonly string[]
  /** All methods of the application's own classes by name, with methods of base classes, private methods and hooks. */
  readonly methods: ReadonlyMap<string, MethodModel>
  /** Names that are not methods: getters, fields, by their kind. */
  readonly otherMembers: ReadonlyMap<string, 'getter' | 'field'>
  /** False if it may have further members. */
  readonly isComplete: boolean
  /** Whether the application overrides `_get_method_args`, so that any argument may exist. */
  readonly overridesArguments: boolean
  /** Its classes and those that it extends, nearest first. Empty if it was read from a loaded class. */
  readonly classes: readonly Located<ClassNode>[]
  readonly decorated: readonly Decorated[]
  /** False if methods may have further decorators. */
  readonly knowsDecorators: boolean
  /** Returns the declaration for a method in `static args`. */
  declaredArguments(method: string): ArgumentDeclaration
  /**
   * Returns the value for a method in `static results`: undefined if no class has one, `unknown` if the source does not say
   * it.
   */
  declaredResult(method: string): Located | 'unknown' | undefined
  /** The methods that static records name. */
  readonly staticEntries: readonly StaticEntry[]
}

/** A controller that does not load, or whose file exports none. */
export interface BrokenController {
  readonly kind: 'broken'
  readonly place?: Place | undefined
  readonly reason: string
  /** Correction, if it is not to export a controller. */
  readonly fix?: string | undefined
}

/** A controller, as far as it is known. */
export type KnownController =
  | { readonly kind: 'class'; readonly model: ControllerModel }
  /** A WSGI application, or a controller of which nothing is known. */
  | { readonly kind: 'application'; readonly place: Place | undefined }
  | BrokenController

/** A controller by name. */
export type ControllerEntry = KnownController & { readonly name: string }

/** Returns the source text of a node on one line, cut after 60 characters. */
export function textOf(module: SourceModule, node: SyntaxNode): string {
  const text = module.text.slice(node.start, node.end).replace(/\s+/g, ' ')
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

export function placeOf(module: SourceModule, node: SyntaxNode): Place {
  return { file: module.path, line: node.loc.start.line, column: node.loc.start.column + 1 }
}
