/** Declarations of actions that clients of the Model Context Protocol use: `static tools`, `static resources` and `static prompts`. */
import { describeValue } from '../base/describe.ts'
import { isRecord } from '../base/record.ts'
import type { ControllerClass } from './controller-class.ts'
import { declaredMethods, inheritedStatic } from './statics.ts'

/** The declarations of a class. */
export interface Exposure {
  readonly tools: readonly string[]
  readonly resources: readonly string[]
  /** Templates by the name of the prompt. */
  readonly prompts: ReadonlyMap<string, string>
}

/**
 * Returns the declarations of a class. Undefined if it has none.
 *
 * @throws TypeError - a list does not have names, or a prompt is not the name of a template.
 */
export function exposureOf(controllerClass: ControllerClass): Exposure | undefined {
  const tools = namesIn(controllerClass, 'tools')
  const resources = namesIn(controllerClass, 'resources')
  const prompts = promptsOf(controllerClass)
  if (tools.length + resources.length + prompts.size === 0) return undefined
  return { tools, resources, prompts }
}

/** Returns the actions in `static deprecated`, `static tools` or `static resources`. */
export function namesIn(
  controllerClass: ControllerClass,
  list: 'deprecated' | 'tools' | 'resources',
): readonly string[] {
  const names: unknown = Reflect.get(controllerClass, list)
  if (names === undefined) return []
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return [...new Set(names)]
  throw new TypeError(
    `${controllerClass.name}.${list} is ${describeValue(names)}. Write a list of actions: ['index', 'show'].`,
  )
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
