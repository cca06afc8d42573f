/** The fields of forms that belong to the framework. */

/** Name of the field for the token that `authenticateForm` checks, and of the value in the session. */
export const TOKEN_FIELD = '_authentication_token'

/** Fields of the framework, which schemas do not receive. */
export const OWN_FIELDS: ReadonlySet<string> = new Set(['_method', TOKEN_FIELD])
