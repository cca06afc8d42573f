/**
 * Forms whose HTML is filled after it was rendered, and field names that describe nested values.
 *
 * `fillForm` requires the package `parse5`. It is imported on first use.
 *
 * @module
 */
export { type FieldErrors, type FieldValues, fillForm } from './fill-form.ts'
export { type NestedOptions, type NestedValue, type NestedValues, nested } from './nested.ts'
