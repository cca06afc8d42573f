/** Finds parameter names that a bundler has changed. */
import { ParameterNamesError } from './errors.ts'
import type { MethodBinding, NamedArguments } from './metadata.ts'

/**
 * Compares the parameter names with the arguments of a request, until one request has supplied them all. A bundler
 * that renamed the parameters would otherwise leave them undefined.
 *
 * @throws ParameterNamesError - the names look renamed.
 */
export function checkParameterNames(binding: MethodBinding, offered: NamedArguments): void {
  const { names, kind } = binding.parameters
  if (kind === 'destructured' || names.length === 0) {
    binding.checked = true
    return
  }
  const missing = names.filter(({ name }) => !(name in offered))
  for (const { name } of missing) {
    const original = /^(.+?)\$?\d+$/.exec(name)?.[1]
    if (original !== undefined && original in offered) {
      throw new ParameterNamesError(
        binding.label,
        `its parameter "${name}" looks renamed: the request offers "${original}"`,
      )
    }
  }
  const required = missing.filter((parameter) => parameter.required)
  if (
    required.length > 0 &&
    names.every(({ name }) => name.length === 1) &&
    missing.length === names.length
  ) {
    const shown = names.map(({ name }) => name).join(', ')
    throw new ParameterNamesError(
      binding.label,
      `its parameters (${shown}) look minified: the request offers none of them`,
    )
  }
  // A name that this request did not supply may be a renamed one, which a later request can reveal.
  binding.checked = missing.length === 0
}
