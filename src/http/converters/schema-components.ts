/** Schemas of a document: those that it uses several times become components, and references lead to them. */
import { isRecord } from '../../base/record.ts'
import type { Direction, JSONSchema } from './json-schema.ts'

/** Returns the words of a text in camel case with a capital at the beginning: `new-book` → `NewBook`. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** Settings of {@link SchemaComponents}. */
export interface ComponentSettings {
  /** Beginning of references to a component: `#/components/schemas/`. */
  readonly base: string
  /**
   * False if only schemas that others refer to become components. Default true: also titled objects, and objects used
   * twice.
   */
  readonly isEager?: boolean
  /** Names that are taken. */
  readonly reserved?: readonly string[]
}

/** The place of a schema in the schema that a library made, for its references and its name. */
interface Place {
  readonly root: JSONSchema
  /** JSON text of the root. */
  readonly text: string
  readonly direction: Direction
  readonly name: string
}

/** A schema that can become a component. Members of its content can be other nodes. */
class SchemaNode {
  readonly id: number
  /** Name that the schema states: its title, or the name of its definition. */
  title: string | undefined
  /** Shortest name from a place where it is used. */
  name: string
  direction: Direction
  content: Readonly<Record<string, unknown>> = {}
  /** True if a schema refers to it, so that it must be a component. */
  isReferenced = false
  uses = 0
  /** Node of the same content that replaces this one. */
  twin: SchemaNode | undefined
  component: string | undefined

  constructor(id: number, { name, direction }: Place) {
    this.id = id
    this.name = name
    this.direction = direction
  }

  get actual(): SchemaNode {
    return this.twin?.actual ?? this
  }

  /** Nodes of equal content have equal texts. */
  toJSON(): object {
    return { node: this.actual.id }
  }
}

/** Keywords whose value is a map of names to schemas. */
const MAPS: ReadonlySet<string> = new Set(['dependentSchemas', 'patternProperties', 'properties'])

/** Keywords whose value is data. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples'])

/** Keywords whose value is a list of schemas for the same value. */
const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf']

/** Keywords whose value is a map of names to definitions. */
const DEFINITIONS: ReadonlySet<unknown> = new Set(['$defs', 'definitions'])

/** Names that libraries give to definitions: `__schema0`, `intersection11`, `0`. */
const GENERATED_NAME = /^_*[a-z]*\d+$/

/** Collects the schemas of a document. */
export class SchemaComponents {
  readonly #settings: ComponentSettings
  readonly #nodes: SchemaNode[] = []
  readonly #byText = new Map<string, SchemaNode>()
  readonly #byReference = new Map<string, SchemaNode>()
  readonly #places: {
    readonly target: Record<string, unknown>
    readonly value: unknown
    readonly description: string
  }[] = []

  constructor(settings: ComponentSettings) {
    this.#settings = settings
  }

  /**
   * Adds a schema to the document.
   *
   * @param name - name of the component if the schema becomes one and has no title.
   * @param description - replaces the description of the schema, unless it is empty.
   * @returns the object to write in the document. {@link finish} fills it.
   */
  add(schema: JSONSchema, name: string, direction: Direction, description = ''): JSONSchema {
    const target = {}
    const place = { root: schema, text: JSON.stringify(schema), direction, name }
    this.#places.push({ target, value: this.#convert(schema, place), description })
    return target
  }

  /** Fills the objects that {@link add} returned, and returns the components by name, sorted. */
  finish(): Record<string, JSONSchema> {
    for (const { value } of this.#places) this.#count(value)
    const isEager = this.#settings.isEager ?? true
    const components = this.#nodes.filter(
      (node) =>
        node.twin === undefined &&
        node.uses > 0 &&
        (node.isReferenced || (isEager && (node.title !== undefined || node.uses > 1))),
    )
    this.#name(components)
    for (const { target, value, description } of this.#places) {
      Object.assign(target, this.#write(value), description !== '' && { description })
    }
    const written = components.map((node): [string, JSONSchema] => [
      node.component ?? '',
      this.#writeEntries(node.content),
    ])
    return Object.fromEntries(written.sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Converts a schema: one that can become a component is a node. */
  #convert(schema: unknown, place: Place): unknown {
    if (!isRecord(schema)) return schema
    const content = this.#contentOf(schema, place)
    if (content instanceof SchemaNode) return content
    const isCombined = ALTERNATIVES.some((keyword) => Array.isArray(schema[keyword]))
    if (schema.type !== 'object' && !(isCombined && typeof schema.title === 'string')) return content
    const text = JSON.stringify(content)
    let node = this.#byText.get(text)
    if (node === undefined) {
      node = this.#newNode(place, textOf(schema.title))
      node.content = content
      this.#byText.set(text, node)
    }
    if (place.direction === 'output') node.direction = 'output'
    if (place.name.length < node.name.length) node.name = place.name
    return node
  }

  #newNode(place: Place, title: string | undefined): SchemaNode {
    const node = new SchemaNode(this.#nodes.length, place)
    node.title = title
    this.#nodes.push(node)
    return node
  }

  #contentOf(schema: JSONSchema, place: Place): SchemaNode | Readonly<Record<string, unknown>> {
    // References of a schema with an identifier are relative to that identifier.
    if (typeof schema.$id === 'string') return schema
    const { $defs, definitions, $ref, ...rest } = schema
    const entries = Object.entries(rest).map(([keyword, value]): [string, unknown] => [
      keyword,
      this.#convertKeyword(keyword, value, place),
    ])
    // Linters and several generators refuse an array without `items`.
    if (schema.type === 'array' && !('items' in schema)) entries.push(['items', {}])
    if (typeof $ref !== 'string') return Object.fromEntries(entries)
    const target = $ref.startsWith('#') ? this.#refer($ref.slice(1), place) : $ref
    if (target === undefined) return Object.fromEntries(entries)
    if (target instanceof SchemaNode && entries.length === 0) return target
    return { $ref: target, ...Object.fromEntries(entries) }
  }

  #convertKeyword(keyword: string, value: unknown, place: Place): unknown {
    if (DATA.has(keyword)) return value
    if (MAPS.has(keyword) && isRecord(value)) {
      const map = Object.entries(value).map(([name, schema]) => [
        name,
        this.#convert(schema, { ...place, name: place.name + pascalCase(name) }),
      ])
      return Object.fromEntries(map)
    }
    const inner = keyword === 'items' ? { ...place, name: itemName(place.name) } : place
    if (Array.isArray(value)) return value.map((each) => this.#convert(each, inner))
    return this.#convert(value, inner)
  }

  /**
   * Returns the node of a schema within the root. It exists before its content, so that schemas can be recursive.
   * Undefined if the root has no such schema.
   *
   * @param pointer - JSON pointer as part of a URI fragment, or an anchor, which is not supported.
   */
  #refer(pointer: string, place: Place): SchemaNode | undefined {
    const steps = stepsOf(pointer)
    const target = schemaAt(place.root, steps)
    if (target === undefined) return undefined
    const key = definitionKey(steps, place)
    const known = this.#byReference.get(key)
    if (known !== undefined) return known
    const name = steps.at(-1) ?? ''
    const isNamed = steps.length === 2 && DEFINITIONS.has(steps[0]) && !GENERATED_NAME.test(name)
    const node = this.#newNode(place, textOf(target.title) ?? (isNamed ? name : undefined))
    node.isReferenced = true
    this.#byReference.set(key, node)
    const content = this.#contentOf(target, place)
    if (content instanceof SchemaNode) {
      node.twin = content
      return node
    }
    node.content = content
    const text = JSON.stringify(content)
    const twin = this.#byText.get(text)
    if (twin === undefined) this.#byText.set(text, node)
    else {
      twin.isReferenced = true
      twin.title ??= node.title
      node.twin = twin
    }
    return node
  }

  /** Counts the uses of each node. The content of a node counts once, because a component is written once. */
  #count(value: unknown): void {
    if (value instanceof SchemaNode) {
      const node = value.actual
      node.uses += 1
      if (node.uses === 1) this.#count(node.content)
    } else if (Array.isArray(value)) for (const each of value) this.#count(each)
    else if (isRecord(value)) for (const each of Object.values(value)) this.#count(each)
  }

  /**
   * Names the components: first schemas with a title, and schemas of results before schemas that only requests have.
   */
  #name(components: readonly SchemaNode[]): void {
    const taken = new Map<string, Direction>(this.#settings.reserved?.map((name) => [name, 'input']))
    const rank = ({ title, direction }: SchemaNode): number =>
      (title === undefined ? 2 : 0) + (direction === 'input' ? 1 : 0)
    for (const node of components.toSorted((one, other) => rank(one) - rank(other))) {
      const name = pascalCase(node.title ?? '') || node.name
      const isOfOutput = taken.get(name) === 'output' && node.direction === 'input'
      const own = isOfOutput ? `${name}Input` : name
      let unique = own
      for (let number = 2; taken.has(unique); number++) unique = `${own}${number}`
      taken.set(unique, node.direction)
      node.component = unique
    }
  }

  #write(value: unknown): unknown {
    if (value instanceof SchemaNode) {
      const { component, content } = value.actual
      return component === undefined ? this.#writeEntries(content) : { $ref: `${this.#settings.base}${component}` }
    }
    if (Array.isArray(value)) return value.map((each) => this.#write(each))
    return isRecord(value) ? this.#writeEntries(value) : value
  }

  #writeEntries(content: Readonly<Record<string, unknown>>): JSONSchema {
    const entries = Object.entries(content).map(([keyword, value]): [string, unknown] => {
      if (keyword === '$ref' && value instanceof SchemaNode) {
        return [keyword, `${this.#settings.base}${value.actual.component ?? ''}`]
      }
      return [keyword, this.#write(value)]
    })
    return Object.fromEntries(entries)
  }
}

function textOf(title: unknown): string | undefined {
  return typeof title === 'string' && title !== '' ? title : undefined
}

function itemName(name: string): string {
  return name.endsWith('Item') ? name : `${name}Item`
}

/** Returns the schema at a place within a root. Undefined if there is none. */
export function schemaAt(root: JSONSchema, steps: readonly string[]): JSONSchema | undefined {
  const found = steps.reduce<unknown>(
    (schema, step) => (isRecord(schema) || Array.isArray(schema) ? Reflect.get(schema, step) : undefined),
    root,
  )
  return isRecord(found) ? found : undefined
}

/** Returns the steps of a JSON pointer (RFC 6901) that is the fragment of a URI. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * Returns a text that equal definitions of several roots share: the definitions that one refers to. A definition that
 * refers to another place of its root belongs to this root.
 */
function definitionKey(steps: readonly string[], { root, text }: Place): string {
  const { $defs } = root
  const [front, name = ''] = steps
  const own = `${text}#${JSON.stringify(steps)}`
  if (front !== '$defs' || steps.length !== 2 || !isRecord($defs)) return own
  const found = new Map<string, string>()
  const pending = [name]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (found.has(next)) continue
    const definition = JSON.stringify($defs[next]) ?? ''
    found.set(next, definition)
    for (const [, pointer = ''] of definition.matchAll(/"\$ref":"#([^"]*)"/g)) {
      const [kind, referred] = stepsOf(pointer)
      if (kind !== '$defs' || referred === undefined) return own
      pending.push(referred)
    }
  }
  return `${name} ${JSON.stringify([...found].sort(([a], [b]) => (a < b ? -1 : 1)))}`
}
