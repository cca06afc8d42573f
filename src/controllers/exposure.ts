/** Declarations of actions that clients of the Model Context Protocol use: `static tools`, `static resources` and `static prompts`. */
import { describeValue } from '../base/describe.ts'
import { isRecord } from '../base/record.ts'
import type { ControllerClass } from './controller-class.ts'
import { declaredMethods, inheritedStatic } from './statics.ts'

/** The declarations of a class. */
export interface Exposure {
  /** Names by action. Undefined for the usual name, `CONTROLLER_ACTION`. */
  readonly tools: ReadonlyMap<string, string | undefined>
  readonly resources: ReadonlyMap<string, string | undefined>
  /** Templates by the name of the prompt. */
  readonly prompts: ReadonlyMap<string, string>
}

/**
 * Returns the declarations of a class. Undefined if it has none.
 *
 * @throws TypeError - a list does not have names, or a prompt is not the name of a template.
 */
export function exposureOf(controllerClass: ControllerClass): Exposure | undefined {
  const tools = namedActions(controllerClass, 'tools')
  const resources = namedActions(controllerClass, 'resources')
  const prompts = promptsOf(controllerClass)
  if (tools.size + resources.size + prompts.size === 0) return undefined
  return { tools, resources, prompts }
}

type List = 'deprecated' | 'tools' | 'resources'

/** Returns the actions in `static deprecated`, `static tools` or `static resources`. */
export function namesIn(controllerClass: ControllerClass, list: List): readonly string[] {
  return [...namedActions(controllerClass, list).keys()]
}

/** Returns the actions of a list, or of a record that names some: `{ find: { name: 'find_city' } }`. */
function namedActions(controllerClass: ControllerClass, list: List): ReadonlyMap<string, string | undefined> {
  const names: unknown = Reflect.get(controllerClass, list) ?? []
  if (Array.isArray(names) && names.every((name) => typeof name === 'string'))
    return new Map(names.map((name) => [name, undefined]))
  const refuse = (what: string): TypeError => {
    const record = list === 'deprecated' ? '' : ", or names by action: { index: { name: 'list_books' } }"
    return new TypeError(
      `${controllerClass.name}.${list} ${what}. Write a list of actions: ['index', 'show']${record}.`,
    )
  }
  if (list === 'deprecated' || !isRecord(names)) throw refuse(`is ${describeValue(names)}`)
  return new Map(
    Object.entries(names).map(([action, entry]) => {
      const { name, ...others } = isRecord(entry) ? entry : { name: null }
      if ((name === undefined || typeof name === 'string') && Object.keys(others).length === 0)
        return [action, name]
      throw refuse(`has ${describeValue(entry)} for "${action}"`)
    }),
  )
}

/** Returns true for a name that the interfaces of language models accept. They refuse a whole request with another one. */
export function isToolName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name)
}

/** A tool, a resource or a prompt. */
export interface ExposedName {
  /** The static property that declares it. */
  readonly record: string
  readonly action: string
  readonly name: string
}

/** Returns the names of tools, resources and prompts that the clients of language models refuse. */
export function refusedNames(controllerClass: ControllerClass, controller: string): ExposedName[] {
  let exposure: Exposure | undefined
  try {
    exposure = exposureOf(controllerClass)
  } catch (error) {
    // A malformed list is refused when its class is read.
    if (error instanceof TypeError) return []
    throw error
  }
  if (exposure === undefined) return []
  const { tools, resources, prompts } = exposure
  const all = [
    ...[...tools].map(([action, name]) => ({ record: 'tools', action, name })),
    ...[...resources].map(([action, name]) => ({ record: 'resources', action, name })),
    ...[...prompts.keys()].map((action) => ({ record: 'prompts', action, name: undefined })),
  ]
  return all
    .map(({ name, ...exposed }) => ({ ...exposed, name: name ?? operationName(controller, exposed.action) }))
    .filter(({ name }) => !isToolName(name))
}

/** Returns the usual name of an action in documents and lists: `admin/books`, `index` → `admin_books_index`. */
export function operationName(controller: string, action: string): string {
  return `${controller}_${action}`.replaceAll(/[/-]/g, '_')
}

function promptsOf(controllerClass: ControllerClass): ReadonlyMap<string, string> {
  const own: unknown = Reflect.get(controllerClass, 'prompts')
  if (own !== undefined && !isRecord(own)) throw notTemplates(controllerClass, own)
  const prompts = new Map<string, string>()
  for (const name of declaredMethods(controllerClass, 'prompts')) {
    const template = inheritedStatic(controllerClass, 'prompts', name)
    if (typeof template !== 'string' || template === '') throw notTemplates(controllerClass, template)
    prompts.set(name, template)
  }
  return prompts
}

function notTemplates({ name }: ControllerClass, value: unknown): TypeError {
  return new TypeError(
    `${name}.prompts has ${describeValue(value)}. Write templates by the names of prompts: { review: 'books/review' }.`,
  )
}
