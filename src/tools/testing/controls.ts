/**
 * The controls of an HTML form: their initial state and the entries that they send (HTML §4.10).
 *
 * @module
 */

import type { HtmlElement } from './document.ts'

/** An entry of a submitted form. */
export type Entry = readonly [name: string, value: string | File]

interface Named {
  readonly element: HtmlElement
  readonly name: string
  readonly disabled: boolean
}

/** A text `input`, a hidden one, or a `textarea`. */
export interface TextControl extends Named {
  readonly kind: 'text'
  value: string
}

/** A checkbox or a radio button. */
export interface CheckControl extends Named {
  readonly kind: 'checkbox' | 'radio'
  readonly value: string
  checked: boolean
}

/** An option of a `select`. */
export interface Option {
  readonly value: string
  readonly text: string
  readonly disabled: boolean
  selected: boolean
}

/** A `select`. */
export interface SelectControl extends Named {
  readonly kind: 'select'
  readonly multiple: boolean
  readonly options: readonly Option[]
}

/** `input type=file`. */
export interface FileControl extends Named {
  readonly kind: 'file'
  readonly multiple: boolean
  files: readonly File[]
}

/** A submit button: `button`, `input type=submit` or `input type=image`. */
export interface ButtonControl extends Named {
  readonly kind: 'button'
  readonly value: string
  readonly label: string
  readonly image: boolean
}

/** Any control of a form. */
export type Control = TextControl | CheckControl | SelectControl | FileControl | ButtonControl

/** Returns the controls of a form in document order, in their initial state. */
export function controlsOf(form: HtmlElement, root: HtmlElement): Control[] {
  const controls: Control[] = []
  for (const element of root.descendants()) {
    if (!/^(?:input|textarea|select|button)$/.test(element.tagName) || ownerOf(element, root) !== form) continue
    const control = controlOf(element)
    if (control !== undefined) controls.push(control)
  }
  settleRadios(controls)
  return controls
}

/** Returns the form owner of a control: the form that `form=` names, or else the nearest ancestor. */
function ownerOf(element: HtmlElement, root: HtmlElement): HtmlElement | undefined {
  const id = element.attribute('form')
  if (id !== undefined) {
    const named = [...root.descendants()].find((other) => other.attribute('id') === id)
    return named?.tagName === 'form' ? named : undefined
  }
  return ancestor(element, 'form')
}

function ancestor(element: HtmlElement, tagName: string): HtmlElement | undefined {
  for (let above = element.parent; above !== undefined; above = above.parent) {
    if (above.tagName === tagName) return above
  }
  return undefined
}

/** Returns true if the control, or a fieldset that contains it outside of its legend, is disabled. */
function isDisabled(element: HtmlElement): boolean {
  if (element.has('disabled')) return true
  let inside = element
  for (let above = element.parent; above !== undefined; above = above.parent) {
    if (above.tagName === 'fieldset' && above.has('disabled')) {
      const legend = above.children.find((child) => child.tagName === 'legend')
      if (inside !== legend) return true
    }
    inside = above
  }
  return false
}

function controlOf(element: HtmlElement): Control | undefined {
  const named = { element, name: element.attribute('name') ?? '', disabled: isDisabled(element) }
  if (ancestor(element, 'datalist') !== undefined) return undefined
  const value = element.attribute('value')
  if (element.tagName === 'textarea') return { ...named, kind: 'text', value: element.rawText }
  if (element.tagName === 'select') return selectOf(element, named)
  const type = element.attribute('type')?.toLowerCase() ?? ''
  if (element.tagName === 'button') {
    if (type === 'button' || type === 'reset') return undefined
    return { ...named, kind: 'button', value: value ?? '', label: element.text, image: false }
  }
  switch (type) {
    case 'button':
    case 'reset':
      return undefined
    case 'submit':
      return { ...named, kind: 'button', value: value ?? '', label: value ?? 'Submit', image: false }
    case 'image':
      return { ...named, kind: 'button', value: '', label: element.attribute('alt') ?? '', image: true }
    case 'checkbox':
    case 'radio':
      return { ...named, kind: type, value: value ?? 'on', checked: element.has('checked') }
    case 'file':
      return { ...named, kind: 'file', multiple: element.has('multiple'), files: [] }
    default:
      return { ...named, kind: 'text', value: sanitize(type, value ?? '') }
  }
}

/** Sanitizes the value of a one-line input (HTML §4.10.5.1). */
export function sanitize(type: string, value: string): string {
  if (type === 'hidden') return value
  const line = value.replace(/[\r\n]/g, '')
  return type === 'email' || type === 'url' ? line.trim() : line
}

function selectOf(element: HtmlElement, named: Named): SelectControl {
  const multiple = element.has('multiple')
  const options = element.findAll('option').map((option): Option => {
    const group = ancestor(option, 'optgroup')
    return {
      value: option.attribute('value') ?? option.text,
      text: option.attribute('label') || option.text,
      disabled: option.has('disabled') || (group?.has('disabled') ?? false),
      selected: option.has('selected'),
    }
  })
  const shown = Number(element.attribute('size') ?? 1)
  if (!multiple) {
    const chosen =
      options.findLast((option) => option.selected) ??
      (shown > 1 ? undefined : options.find((option) => !option.disabled))
    for (const option of options) option.selected = option === chosen
  }
  return { ...named, kind: 'select', multiple, options }
}

/** Unchecks all but the last checked radio button of each name. */
function settleRadios(controls: readonly Control[]): void {
  const seen = new Set<string>()
  for (const control of controls.toReversed()) {
    if (control.kind !== 'radio' || !control.checked || control.name === '') continue
    if (seen.has(control.name)) control.checked = false
    seen.add(control.name)
  }
}

/** Returns the entries of a control (HTML §4.10.22.4), given the button that submits. */
export function entriesOf(control: Control, submitter: ButtonControl | undefined): Entry[] {
  const { name } = control
  if (control.disabled) return []
  if (control.kind === 'button') {
    if (control !== submitter) return []
    if (control.image) {
      const prefix = name === '' ? '' : `${name}.`
      return [
        [`${prefix}x`, '0'],
        [`${prefix}y`, '0'],
      ]
    }
    return name === '' ? [] : [[name, control.value]]
  }
  if (name === '') return []
  switch (control.kind) {
    case 'text':
      if (name.toLowerCase() === '_charset_' && control.element.attribute('type')?.toLowerCase() === 'hidden') {
        return [[name, 'UTF-8']]
      }
      return [[name, control.value]]
    case 'checkbox':
    case 'radio':
      return control.checked ? [[name, control.value]] : []
    case 'select':
      return control.options
        .filter((option) => option.selected && !option.disabled)
        .map((option) => [name, option.value])
    case 'file':
      if (control.files.length === 0) return [[name, new File([], '', { type: 'application/octet-stream' })]]
      return control.files.map((file) => [name, file])
  }
}
