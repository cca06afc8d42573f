/**
 * Forms of pages: filled in, then submitted.
 *
 * @module
 */

import { encodeEntries, encodeFields, NO_BODY, textEntries } from './bodies.ts'
import {
  type ButtonControl,
  type CheckControl,
  type Control,
  controlsOf,
  type Entry,
  entriesOf,
  type SelectControl,
  sanitize,
} from './controls.ts'
import type { HtmlDocument, HtmlElement } from './document.ts'
import type { NextRequest, RequestOptions } from './request.ts'

/** A button: its name, value or label; name and value if several have the same name. */
export type ButtonChoice = string | { readonly name?: string; readonly value?: string }

/** The page of a form, its URL, and the function that sends its request. */
export interface FormContext<Result> {
  readonly page: HtmlDocument
  readonly url: URL
  send(request: NextRequest): Promise<Result>
}

/**
 * A form of a page.
 *
 * @example
 * ```ts
 * import { TestApp } from 'propylon/testing'
 *
 * const app = new TestApp((environ, start_response) => {
 *   start_response('200 OK', [['Content-Type', 'text/html']])
 *   return environ.REQUEST_METHOD === 'POST' ? ['Created'] : ['<form method="post"><input name="name"></form>']
 * })
 * const form = (await app.get('/users/new')).form()
 * const created = await form.set('name', 'ann').submit()
 * created.text // 'Created'
 * ```
 */
export class Form<Result> {
  /** The `form` element. */
  readonly element: HtmlElement
  readonly #context: FormContext<Result>
  readonly #controls: readonly Control[]

  constructor(element: HtmlElement, context: FormContext<Result>) {
    this.element = element
    this.#context = context
    this.#controls = controlsOf(element, context.page.root)
  }

  /** The form's id, or `''`. */
  get id(): string {
    return this.element.attribute('id') ?? ''
  }

  /** The form's name, or `''`. */
  get name(): string {
    return this.element.attribute('name') ?? ''
  }

  /** The absolute URL that the form is sent to. */
  get action(): string {
    return this.#action(undefined).href
  }

  /** `GET` or `POST`. */
  get method(): 'GET' | 'POST' {
    return this.#method(undefined)
  }

  /** The distinct names of the fields, without buttons, in document order. */
  get fields(): string[] {
    const names = this.#controls.filter((control) => control.kind !== 'button').map((control) => control.name)
    return [...new Set(names)].filter((name) => name !== '')
  }

  /**
   * Returns the value that a field would send: `null` for none, a list if several values are possible.
   *
   * @throws Error - the form has no such field.
   */
  get(name: string): string | File | null | (string | File)[] {
    const controls = this.#named(name)
    const [first] = controls
    // A disabled field has a value, though it is not sent.
    const values = controls.flatMap((control) => entriesOf({ ...control, disabled: false }, undefined))
    const several =
      first?.kind === 'select' || first?.kind === 'file'
        ? first.multiple || controls.length > 1
        : first?.kind !== 'radio' && controls.length > 1
    return several ? values.map(([, value]) => value) : (values[0]?.[1] ?? null)
  }

  /**
   * Sets a field as a user would: text for a text field, a value or the visible text for a select, a value for radio
   * buttons, `true`, `false` or its value for a checkbox, a `File` for a file field; a list if several are possible.
   *
   * @param index - index of the field, from 0, if several fields have the name.
   * @returns the form.
   * @throws Error - the form has no such field, it is disabled, or it does not accept the value.
   */
  set(name: string, value: FieldValue, index?: number): this {
    let controls = this.#named(name)
    if (index !== undefined) {
      const chosen = controls[index]
      if (chosen === undefined)
        throw new Error(`there are ${controls.length} fields ${quote(name)}, none with index ${index}`)
      controls = [chosen]
    }
    if (controls.every((control) => control.disabled)) throw new Error(`the field ${quote(name)} is disabled`)
    const [first] = controls
    if (first?.kind === 'checkbox' || first?.kind === 'radio') setChecks(name, controls, value)
    else if (controls.length === 1 && first !== undefined) setOne(first, value)
    else setEach(name, controls, value)
    return this
  }

  /** Sets several fields. */
  fill(values: Readonly<Record<string, FieldValue>>): this {
    for (const [name, value] of Object.entries(values)) this.set(name, value)
    return this
  }

  /**
   * Returns the entries that would be sent, in document order.
   *
   * @param button - as for {@link submit}.
   */
  entries(button?: ButtonChoice | null): Entry[] {
    const submitter = this.#submitter(button)
    return this.#controls.flatMap((control) => entriesOf(control, submitter))
  }

  /**
   * Submits the form.
   *
   * @param button - the button to press. Default: the first one, as for the Enter key. `null` for none, as when a
   *   script submits the form.
   * @throws Error - there is no such button, it is disabled, or the action is not an http or https URL.
   */
  async submit(button?: ButtonChoice | null, options: RequestOptions = {}): Promise<Result> {
    const submitter = this.#submitter(button)
    const method = this.#method(submitter)
    const url = this.#action(submitter)
    url.hash = ''
    const entries = this.entries(submitter === undefined ? null : button)
    if (method === 'GET') {
      url.search = encodeFields(textEntries(entries))
      return this.#context.send({ method, url, body: NO_BODY, options })
    }
    const body = await encodeEntries(this.#setting('enctype', submitter).toLowerCase(), entries)
    return this.#context.send({ method, url, body, options })
  }

  #named(name: string): Control[] {
    const controls = this.#controls.filter((control) => control.name === name)
    if (controls.some((control) => control.kind === 'button')) {
      const others = controls.filter((control) => control.kind !== 'button')
      if (others.length > 0) return others
      throw new Error(`${quote(name)} is a button: press it with submit(${quote(name)})`)
    }
    if (controls.length > 0) return controls
    const existing = this.fields.map(quote).join(', ') || 'no fields'
    throw new Error(`the form has no field ${quote(name)}; it has ${existing}`)
  }

  #submitter(choice: ButtonChoice | null | undefined): ButtonControl | undefined {
    if (choice === null) return undefined
    const buttons = this.#controls.filter((control) => control.kind === 'button')
    if (choice === undefined) return buttons.find((button) => !button.disabled)
    const chosen = chooseButton(buttons, choice)
    if (chosen === undefined) {
      const existing = buttons.map((button) => describeButton(button)).join(', ') || 'none'
      throw new Error(`the form has no button ${JSON.stringify(choice)}; it has ${existing}`)
    }
    if (chosen.disabled) throw new Error(`the button ${describeButton(chosen)} is disabled`)
    return chosen
  }

  /** Returns an attribute of the form, or of the button that overrides it. */
  #setting(name: 'action' | 'method' | 'enctype', submitter: ButtonControl | undefined): string {
    return submitter?.element.attribute(`form${name}`) ?? this.element.attribute(name) ?? ''
  }

  #method(submitter: ButtonControl | undefined): 'GET' | 'POST' {
    const method = this.#setting('method', submitter).toLowerCase()
    if (method === 'dialog') throw new Error('a form with the method "dialog" closes a dialog and sends nothing')
    return method === 'post' ? 'POST' : 'GET'
  }

  #action(submitter: ButtonControl | undefined): URL {
    const action = this.#setting('action', submitter).trim()
    const { page, url: pageUrl } = this.#context
    if (action === '') return new URL(pageUrl)
    const baseUrl = page.baseUrl(pageUrl)
    if (!URL.canParse(action, baseUrl.href)) throw new Error(`the form’s action ${quote(action)} is not a URL`)
    const url = new URL(action, baseUrl)
    if (!/^https?:$/.test(url.protocol))
      throw new Error(`the form’s action ${quote(action)} is not an http or https URL`)
    return url
  }
}

function chooseButton(buttons: readonly ButtonControl[], choice: ButtonChoice): ButtonControl | undefined {
  if (typeof choice !== 'string') {
    const { name, value } = choice
    return buttons.find((button) => button.name === (name ?? button.name) && button.value === (value ?? button.value))
  }
  const by = (property: 'name' | 'value' | 'label') => buttons.find((button) => button[property] === choice)
  return by('name') ?? by('value') ?? by('label')
}

function describeButton(button: ButtonControl): string {
  const name = button.name === '' ? '' : ` (name ${quote(button.name)}, value ${quote(button.value)})`
  return `${quote(button.label)}${name}`
}

/** A value for a field. The kind of the field determines which values are valid. */
export type FieldValue = string | number | boolean | File | readonly (string | number | File)[]

/** Sets a text field, a select or a file field. */
function setOne(control: Control, value: FieldValue): void {
  if (control.kind === 'text') {
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw new Error(`the text field ${quote(control.name)} takes text, not ${describe(value)}`)
    }
    const isArea = control.element.tagName === 'textarea'
    const type = control.element.attribute('type')?.toLowerCase() ?? ''
    control.value = isArea ? String(value) : sanitize(type, String(value))
  } else if (control.kind === 'select') {
    setSelect(control, value)
  } else if (control.kind === 'file') {
    const files = listOf(value)
    if (!files.every((file) => file instanceof File)) {
      throw new Error(`the file field ${quote(control.name)} takes a File or a list of them, not ${describe(value)}`)
    }
    if (files.length > 1 && !control.multiple) throw new Error(`the file field ${quote(control.name)} takes one file`)
    control.files = files
  }
}

/** Sets several fields of one name from a list with a value for each. */
function setEach(name: string, controls: readonly Control[], value: FieldValue): void {
  const values = listOf(value)
  if (!Array.isArray(value) || values.length !== controls.length) {
    const fix = `give a list of ${controls.length} values, or an index`
    throw new Error(`there are ${controls.length} fields ${quote(name)}: ${fix}`)
  }
  controls.forEach((control, index) => {
    const item = values[index]
    if (item !== undefined) setOne(control, item)
  })
}

function setSelect(control: SelectControl, value: FieldValue): void {
  const values = listOf(value).map(String)
  if (!control.multiple && values.length !== 1) throw new Error(`the select ${quote(control.name)} takes one value`)
  const { options } = control
  const chosen = values.map((wanted) => {
    const option =
      options.find((candidate) => candidate.value === wanted) ?? options.find((candidate) => candidate.text === wanted)
    if (option === undefined) throw impossible(control.name, wanted, options)
    if (option.disabled) throw new Error(`the option ${quote(wanted)} of ${quote(control.name)} is disabled`)
    return option
  })
  for (const option of options) option.selected = chosen.includes(option)
}

/** Sets the checkboxes or radio buttons of one name. */
function setChecks(name: string, all: readonly Control[], value: FieldValue): void {
  const controls = all.filter(isCheck)
  const isRadio = controls[0]?.kind === 'radio'
  if (typeof value === 'boolean') {
    const [only] = controls
    if (only === undefined || controls.length > 1 || (isRadio && !value)) {
      throw new Error(`${quote(name)} is ${isRadio ? 'a group' : 'several'}: give a value, not ${value}`)
    }
    only.checked = value
    return
  }
  const wanted = listOf(value).map(String)
  if (isRadio && wanted.length !== 1) throw new Error(`the radio buttons ${quote(name)} take exactly one value`)
  for (const item of wanted) {
    const control = controls.find((candidate) => candidate.value === item)
    if (control === undefined) throw impossible(name, item, controls)
    if (control.disabled) throw new Error(`the choice ${quote(item)} of ${quote(name)} is disabled`)
  }
  for (const control of controls) {
    if (isRadio || !control.disabled) control.checked = wanted.includes(control.value)
  }
}

function isCheck(control: Control): control is CheckControl {
  return control.kind === 'checkbox' || control.kind === 'radio'
}

function listOf(value: FieldValue): readonly (string | number | boolean | File)[] {
  return typeof value === 'object' && !(value instanceof File) ? value : [value]
}

function impossible(name: string, value: string, choices: readonly { readonly value: string }[]): Error {
  const existing = choices.map((choice) => quote(choice.value)).join(', ') || 'nothing'
  return new Error(`the field ${quote(name)} cannot be ${quote(value)}; it can be ${existing}`)
}

function describe(value: FieldValue): string {
  if (value instanceof File) return 'a File'
  return Array.isArray(value) ? 'a list' : JSON.stringify(value)
}

/** Quotes a name or value for an error message. */
function quote(text: string): string {
  return JSON.stringify(text)
}
