/**
 * Sets the values of controls, as a user would.
 *
 * @module
 */

import { type CheckControl, type Control, type SelectControl, sanitize } from './controls.ts'

/** A value for a field. The kind of the field determines which values are valid. */
export type FieldValue = string | number | boolean | File | readonly (string | number | File)[]

/** Sets a text field, a select or a file field. */
export function setOne(control: Control, value: FieldValue): void {
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
      throw new Error(
        `the file field ${quote(control.name)} takes a File or a list of them, not ${describe(value)}`,
      )
    }
    if (files.length > 1 && !control.multiple)
      throw new Error(`the file field ${quote(control.name)} takes one file`)
    control.files = files
  }
}

/** Sets several fields of one name from a list with a value for each. */
export function setEach(name: string, controls: readonly Control[], value: FieldValue): void {
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
  if (!control.multiple && values.length !== 1)
    throw new Error(`the select ${quote(control.name)} takes one value`)
  const { options } = control
  const chosen = values.map((wanted) => {
    const option =
      options.find((candidate) => candidate.value === wanted) ??
      options.find((candidate) => candidate.text === wanted)
    if (option === undefined) throw impossible(control.name, wanted, options)
    if (option.disabled) throw new Error(`the option ${quote(wanted)} of ${quote(control.name)} is disabled`)
    return option
  })
  for (const option of options) option.selected = chosen.includes(option)
}

/** Sets the checkboxes or radio buttons of one name. */
export function setChecks(name: string, all: readonly Control[], value: FieldValue): void {
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
  if (isRadio && wanted.length !== 1)
    throw new Error(`the radio buttons ${quote(name)} take exactly one value`)
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
export function quote(text: string): string {
  return JSON.stringify(text)
}
