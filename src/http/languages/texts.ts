/**
 * Texts of the framework that readers of a site see.
 *
 * @module
 */

/**
 * The texts in English by key. Files of messages translate them under the same keys. A value in braces is written as
 * it is, so that English needs no package.
 *
 * The titles and explanations of statuses have the keys `propylon.status.404.title` and
 * `propylon.status.404.explanation`.
 */
export const TEXTS = {
  'propylon.value.missing': 'is missing',
  'propylon.value.text': 'must be text',
  'propylon.value.nul': 'must not contain the character NUL',
  'propylon.value.integer': 'must be an integer',
  'propylon.value.integerFrom': 'must be an integer of {min} or more',
  'propylon.value.integerBetween': 'must be an integer from {min} to {max}',
  'propylon.value.number': 'must be a decimal number',
  'propylon.value.boolean': 'must be true or false',
  'propylon.value.uuid': 'must be a UUID',
  'propylon.value.slug': 'must be lower-case letters, digits and single hyphens',
  'propylon.value.date': 'must be a date, YYYY-MM-DD',
  'propylon.value.repeated': 'is given {count} times and may be given once',
  'propylon.value.item': 'item {number} {message}',
  'propylon.file.one': 'may be one file at most',
  'propylon.file.count': 'may be {count} files at most',
  'propylon.file.size': 'must not be larger than {size} bytes',
  'propylon.file.type': 'must be {types}',
  'propylon.body.type':
    'The body must be a form or JSON: application/x-www-form-urlencoded, multipart/form-data or application/json.',
  'propylon.body.object': 'The JSON of the request must be an object with a member for each field.',
  'propylon.body.tooLarge': 'The body of the request exceeds the limit of {limit} bytes.',
  'propylon.body.incomplete': 'The body of the request ends after {length} of {stated} bytes.',
  'propylon.body.length': 'The Content-Length of the request is malformed.',
  'propylon.body.memory': 'The server has no memory left for the body of the request.',
  'propylon.body.coding': 'The body of the request has an unsupported Content-Encoding. Use gzip or deflate, once.',
  'propylon.body.format': 'The body of the request is not {format} data.',
  'propylon.body.encoding': 'The body of the request is not {encoding} text.',
  'propylon.body.charset': 'The charset {charset} of the request is unknown.',
  'propylon.json.malformed': 'The body of the request is malformed JSON{place}.',
  'propylon.json.depth': 'The JSON of the request is nested more than {limit} deep.',
  'propylon.json.proto': 'The JSON of the request has a key __proto__.',
  'propylon.json.type': 'The request must have a JSON content type such as application/json, but it has {type}.',
  'propylon.request.fields': 'The request has more than {limit} fields.',
  'propylon.form.type': 'The request must have the content type multipart/form-data, but it has {type}.',
  'propylon.form.boundary': 'The content type of the multipart form has no valid boundary.',
  'propylon.form.fieldTooLarge': 'A field of the form exceeds the limit of {limit} bytes.',
  'propylon.form.fileTooLarge': 'A file of the form exceeds the limit of {limit} bytes.',
  'propylon.form.tooLarge': 'The form exceeds the limit of {limit} bytes.',
  'propylon.form.parts': 'The form has more than {limit} parts.',
  'propylon.form.fields': 'The form has more than {limit} fields.',
  'propylon.form.incomplete': 'The multipart form has no closing boundary: it is malformed or incomplete.',
  'propylon.form.line': 'A line of the multipart form has text behind the boundary.',
  'propylon.form.name': 'A part of the multipart form has no name.',
  'propylon.form.header': 'The header of a part of the multipart form is malformed.',
  'propylon.form.depth': 'The name of a field is nested more than {limit} deep.',
  'propylon.form.contradiction': 'The field {field} contradicts the name of another field.',
  'propylon.page.first': 'Pages are numbered from 1.',
  'propylon.page.last': 'The list ends with page {pages}.',
  'propylon.refused.host': 'This application does not serve the requested host.',
  'propylon.refused.crossSite': 'Pages of other sites may not send {method} requests to this one.',
  'propylon.refused.insecure': 'This requires https. The request was sent unencrypted.',
  'propylon.refused.form':
    'The form was refused because {reason}. Load the page with the form again, and send it from there.',
  'propylon.refused.noToken': 'it has no authentication token',
  'propylon.refused.noSecret': 'the session has no authentication token: it is new, or cookies are off',
  'propylon.refused.otherToken': 'its authentication token does not belong to the session',
  'propylon.limit.second': 'Try again in 1 second.',
  'propylon.limit.seconds': 'Try again in {seconds} seconds.',
} as const

/** Key of a text. */
export type TextKey = keyof typeof TEXTS

/**
 * Values of a text. A list is written as alternatives. A text of the framework is written in the language of the
 * reader.
 */
export type TextValues = Readonly<Record<string, string | number | readonly string[] | FrameworkText>>

/** A text of the framework. As a string it is English. */
export class FrameworkText {
  readonly key: TextKey
  readonly values: TextValues

  constructor(key: TextKey, values: TextValues = {}) {
    this.key = key
    this.values = values
  }

  toString(): string {
    const text: string = TEXTS[this.key]
    return text.replace(/\{(\w+)\}/g, (_, name: string) => writeValue(this.values[name], 'en'))
  }
}

/** Returns a value as text. The parts of a list are joined as alternatives of the language: `a or b`. */
export function writeValue(value: TextValues[string] | undefined, language: string): string {
  return isList(value) ? new Intl.ListFormat(language, { type: 'disjunction' }).format(value) : String(value)
}

function isList(value: TextValues[string] | undefined): value is readonly string[] {
  return Array.isArray(value)
}
