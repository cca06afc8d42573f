/**
 * Names of templates, of routes in templates, and of messages that do not exist, and values that messages do not take
 * or lack.
 *
 * @module
 */

import { isRecord } from '../../../base/record.ts'
import { similar } from '../../../base/suggest.ts'
import { declaredMethods } from '../../../controllers/statics.ts'
import { type Place, placeIn } from '../../sources/sources.ts'
import { is, keyName, literalsOf, memberName, nodesIn } from '../../sources/syntax.ts'
import type { TemplateCall, TemplateFiles } from '../../sources/template-files.ts'
import { didYouMean, type Findings } from '../finding.ts'
import { checkLanguages, type MessageValues, messageValues } from '../messages.ts'
import type { CheckedClass, Project } from '../project.ts'

/**
 * Checks the names in templates, in `this.render()`, in `static pages` and in `static prompts`, and the messages in
 * templates.
 */
export function* checkTemplates(project: Project): Findings {
  const { classes, templates, mapper } = project
  const messages = project.messages && messageValues(project.messages)
  yield* checkLanguages(project.messages ?? [])
  if (templates === undefined) return
  for (const one of classes) if (!one.methods.has('render')) yield* checkClass(one, templates, project)
  const code = templates.code()
  const routes = mapper.routes.flatMap(({ name }) => name ?? [])
  const texts = [...classes.map((one) => String(one.controllerClass)), ...code.map(({ text }) => text)]
  const isReplaced = (name: string) =>
    texts.some((text) => new RegExp(`(?:render|include|layout)\\([^)]*[{,]\\s*${name}\\s*[:,}]`).test(text))
  const checks = { template: true, route: !isReplaced('url'), message: !isReplaced('t') }
  for (const { file, calls } of code) {
    for (const call of calls.filter(({ kind }) => checks[kind])) {
      const { kind, name, place } = call
      if (kind === 'template') yield* missing(`${file} names`, name, place, templates, file)
      else if (kind === 'message' && messages !== undefined) yield* checkMessage(file, call, messages)
      // A path or an address is not a name.
      else if (kind === 'route' && !routes.includes(name) && !/^(?:\/|[a-z][a-z\d+.-]*:)/i.test(name)) {
        const message = `it.url() names the route "${name}", which does not exist.`
        const fix = didYouMean(similar(name, routes), 'Define it, or use the name of a defined route.')
        yield { code: 'template-route-unknown', place, message, fix }
      }
    }
  }
}

function* missing(
  subject: string,
  name: string,
  place: Place | undefined,
  templates: TemplateFiles,
  from?: string,
): Findings {
  const fault = templates.faultOf(name, from)
  if (fault === undefined) return
  const message = `${subject} the template ${JSON.stringify(name)}: ${fault.reason}.`
  const fix = didYouMean(fault.meant, 'Write the template, or correct the name.')
  yield { code: 'template-missing', place, message, fix }
}

/** Checks the templates in `static pages`, `static prompts` and `this.render()` of a class. */
function* checkClass(one: CheckedClass, templates: TemplateFiles, { sources }: Project): Findings {
  const { controllerClass, className, name: controller } = one
  for (const property of ['pages', 'prompts']) {
    const record: unknown = Reflect.get(controllerClass, property)
    for (const action of declaredMethods(one.controllerClass, property)) {
      const name = isRecord(record) ? record[action] : undefined
      const place = sources.ofEntry(controllerClass, property, action)
      const user = property === 'pages' ? `${action}()` : action
      const subject = `static ${property} of ${className} has for ${user}`
      const found = typeof name === 'string' ? missing(subject, name, place, templates) : []
      for (const finding of found) yield { ...finding, controller, action }
    }
  }
  // Most classes render no template themselves.
  for (const { source, node } of /\.render\(/.test(String(controllerClass)) ? sources.chain(controllerClass) : []) {
    for (const member of node.body.body) {
      const key = is(member, 'MethodDefinition') ? keyName(member.key, member.computed) : undefined
      for (const call of nodesIn(member)) {
        const callee = is(call, 'CallExpression') ? call.callee : undefined
        const isOwn = is(callee, 'MemberExpression') && is(callee.object, 'ThisExpression')
        const [first] = is(call, 'CallExpression') ? call.arguments : []
        if (!isOwn || memberName(callee) !== 'render' || first === undefined) continue
        for (const { name, node: literal } of literalsOf(first))
          yield* missing(`${className}.${key}() renders`, name, placeIn(source, literal), templates)
      }
    }
  }
}

/** Checks the key and the values of `it.t()`. The compiler checks `this.t()`. */
function* checkMessage(file: string, { name, place, values }: TemplateCall, messages: MessageValues): Findings {
  const takes = messages.get(name)
  const label = `${file} names the message ${JSON.stringify(name)}`
  if (takes === undefined) {
    const fix = didYouMean(similar(name, messages.keys()), 'Write it, or correct the key.')
    yield { code: 'message-unknown', place, message: `${label}, which no language has.`, fix }
    return
  }
  const lacking = values === undefined ? [] : [...takes.keys()].filter((each) => !values.includes(each))
  const excess = (values ?? []).filter((each) => !takes.has(each))
  const problems = [
    ...lacking.map((each) => `lacks the value ${each}`),
    ...excess.map((each) => `gives the value ${each}, which the message does not take`),
  ]
  if (problems.length === 0) return
  const code = lacking.length > 0 ? 'message-values' : 'message-superfluous'
  const fix = takes.size === 0 ? 'Leave the values out.' : `It takes ${[...takes.keys()].join(', ')}.`
  yield { code, place, message: `${label} and ${problems.join(', and ')}.`, fix }
}
