/**
 * The files of a REST resource: its controller, its pages and its test.
 *
 * @module
 */

import type { NewFile } from './files.ts'
import type { ControllerName } from './names.ts'
import { controllerFile, testFile, wordsOf } from './scaffold.ts'
import { substitute, template } from './templates.ts'

/** The templates of a resource, in a folder with its path. */
const PAGES = ['_form.eta', 'edit.eta', 'index.eta', 'new.eta', 'show.eta'] as const

/** The project that a resource is for. */
export interface ResourcePlace {
  /** Path of the base class of the controllers, relative to the project; undefined if there is none. */
  readonly base: string | undefined
  /** Whether pages have the layout of the project. Without it they are pages of their own. */
  readonly hasLayout: boolean
  readonly withTest: boolean
}

export function resourceFiles(
  singular: ControllerName,
  plural: ControllerName,
  { base, hasLayout, withTest }: ResourcePlace,
): NewFile[] {
  const words = { ...wordsOf(plural, base), ...resourceWords(singular, plural) }
  const filled = (name: string) => substitute(template(name), words)
  return [
    { path: controllerFile(plural), text: filled('restcontroller.ts') },
    ...PAGES.map((page) => {
      const text = filled(`restcontroller/${page}`)
      return { path: `templates/${plural.path}/${page}`, text: hasLayout ? text : withoutLayout(text) }
    }),
    ...(withTest ? [{ path: testFile(plural), text: filled('restcontroller_test.ts') }] : []),
  ]
}

function withoutLayout(text: string): string {
  const head = '<!doctype html>\n<meta charset="utf-8">\n<title><%= $1 %></title>'
  return text.replace(/^<% layout\('layout', \{ title: (.*) \}\) %>/, head)
}

/** Returns the line that maps a resource. */
export function resourceLine(singular: ControllerName, plural: ControllerName): string {
  const names = `'${singular.name}', '${plural.name}'`
  if (plural.directories.length === 0) return `map.resource(${names})`
  const options = [
    `controller: '${plural.path}'`,
    `pathPrefix: '/${plural.directories.join('/')}'`,
    `namePrefix: '${namePrefix(plural)}'`,
  ]
  return `map.resource(${names}, { ${options.join(', ')} })`
}

/** Returns the names of the routes of a resource. */
export function routeNames(singular: ControllerName, plural: ControllerName): string[] {
  const { area_things, area_thing, area_new_thing, area_edit_thing } = resourceWords(singular, plural)
  return [area_things, area_thing, area_new_thing, area_edit_thing]
}

function resourceWords(singular: ControllerName, plural: ControllerName) {
  const prefix = namePrefix(plural)
  const several = plural.name.replaceAll('_', ' ')
  return {
    "map.resource('thing', 'things', { controller: 'area/things', pathPrefix: '/area', namePrefix: 'area_' })":
      resourceLine(singular, plural),
    area_things: prefix + plural.name,
    area_thing: prefix + singular.name,
    area_new_thing: `${prefix}new_${singular.name}`,
    area_edit_thing: `${prefix}edit_${singular.name}`,
    thing: singular.name.replaceAll('_', ' '),
    things: several,
    Things: several.charAt(0).toUpperCase() + several.slice(1),
  }
}

function namePrefix(plural: ControllerName): string {
  return plural.directories.map((directory) => `${directory}_`).join('')
}
