/**
 * `propylon restcontroller`: creates a controller for a resource.
 *
 * @module
 */

import { existsSync } from 'node:fs'
import { argument, type Command } from '../command.ts'
import { quoted, UsageError } from '../errors.ts'
import type { NewFile } from '../files.ts'
import { type ControllerName, controllerName } from '../names.ts'
import { findFile, findProject, pathIn } from '../project.ts'
import { checkResource, withRoute } from '../routing-file.ts'
import { carryOut, checkNoController, checkNoTest, controllerFile, testFile } from '../scaffold.ts'
import { substitute, template } from '../templates.ts'
import { print } from '../terminal.ts'
import { wordsOf } from './controller.ts'

/** The option of an application that has templates. */
const TEMPLATES = "templates: new URL('./templates/', import.meta.url)"

/** The templates of a resource, in a folder with its path. */
const PAGES = ['_form.eta', 'edit.eta', 'index.eta', 'new.eta', 'show.eta'] as const

/** `propylon restcontroller SINGULAR PLURAL` */
export const restcontroller: Command = {
  name: 'restcontroller',
  summary: 'Create a REST controller with its templates and a functional test',
  arguments: [
    { name: 'SINGULAR', summary: 'Name of one item: comment' },
    { name: 'PLURAL', summary: 'Name of several, optionally with a directory: comments' },
  ],
  options: {
    map: { type: 'boolean', summary: 'Add the printed line to config/routing.ts' },
    'no-test': { type: 'boolean', summary: 'Omit the test' },
    'dry-run': { type: 'boolean', short: 'n', summary: 'List the files without writing them' },
  },
  details: [
    'The files have the name and the directory of the plural. Add the printed line to\nconfig/routing.ts, above the default routes.',
  ],
  examples: [
    'propylon restcontroller comment comments',
    'propylon restcontroller admin/trackback admin/trackbacks --map',
  ],
  importsProject: 'where possible',
  async run(parsed, context) {
    const singular = controllerName(argument(parsed, 0), 'singular name')
    const plural = controllerName(argument(parsed, 1), 'plural name')
    checkDifferent(singular, plural)
    const project = findProject(context.cwd)
    checkNoController(project, plural)
    const withTest = !parsed.flag('no-test')
    if (withTest) checkNoTest(project, plural)
    const isMapped = await checkResource(project, plural, routeNames(singular, plural), context)
    const hasTemplates = existsSync(pathIn(project, 'templates'))
    const addsLine = parsed.flag('map') && !isMapped
    const line = resourceLine(singular, plural)
    const words = { ...wordsOf(plural, project), ...resourceWords(singular, plural) }
    const created = [
      { path: controllerFile(plural), text: substitute(template('restcontroller.ts'), words) },
      ...pages(plural, words, findFile(project, ['templates/layout.eta']) !== undefined),
    ]
    if (withTest) {
      created.push({ path: testFile(plural), text: substitute(template('restcontroller_test.ts'), words) })
    }
    const changed = addsLine ? [withRoute(project, line)] : []
    carryOut(project, { created, changed }, context, parsed.flag('dry-run'))
    if (isMapped) print(context, 'config/routing.ts maps the resource already, with a line like this:')
    else if (!addsLine) print(context, 'Add this line to config/routing.ts, above the default routes:')
    print(context, line)
    if (!hasTemplates)
      print(context, 'The application finds the templates by an option of FrameworkApp:', TEMPLATES)
    return 0
  },
}

/** Returns the templates. Without the layout of a project they are pages of their own. */
function pages(name: ControllerName, words: Record<string, string>, hasLayout: boolean): NewFile[] {
  return PAGES.map((page) => {
    const text = substitute(template(`restcontroller/${page}`), words)
    return { path: `templates/${name.path}/${page}`, text: hasLayout ? text : withoutLayout(text) }
  })
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

function resourceWords(singular: ControllerName, plural: ControllerName): Record<string, string> {
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

function routeNames(singular: ControllerName, plural: ControllerName): string[] {
  const { area_things, area_thing, area_new_thing, area_edit_thing } = resourceWords(singular, plural)
  return [area_things, area_thing, area_new_thing, area_edit_thing].filter((name) => name !== undefined)
}

function namePrefix(plural: ControllerName): string {
  return plural.directories.map((directory) => `${directory}_`).join('')
}

function checkDifferent(singular: ControllerName, plural: ControllerName): void {
  if (singular.name !== plural.name) return
  throw new UsageError(
    `${quoted(singular.name)} cannot be both singular and plural, because each is the name of a route`,
    `write for instance 'propylon restcontroller ${singular.name}_item ${plural.path}'`,
  )
}
