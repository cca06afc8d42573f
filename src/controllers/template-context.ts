/** The values that a controller keeps for its templates. */

/** Error messages by field. Those about the form as a whole have the empty name. */
export type FormErrors = Readonly<Record<string, readonly string[]>>

/** Submitted values by field, for showing the form again. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>

/** The template context of a controller: `this.c`, and `it.c` in templates. Applications add values of their own. */
export interface TemplateContext {
  /** Errors of a form that is shown again. */
  formErrors?: FormErrors
  /** Submitted values of a form that is shown again. */
  formValues?: FormValues
  /** Option `name` of the form that is shown again, for pages with several forms. */
  formName?: string
  [name: string]: unknown
}
