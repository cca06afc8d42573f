/** Returns true for a terminal with colours, unless NO_COLOR is set (https://no-color.org). */
export function hasColour(
  stream: { readonly isTTY?: boolean | undefined } | undefined,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return stream?.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
}
