/** The rules for the fields of a user. Each returns a message for a text that is wrong. */

export function checkName(text: string): string | undefined {
  return /^[A-Za-z][A-Za-z0-9_-]{1,31}$/.test(text)
    ? undefined
    : 'must have 2 to 32 letters, digits, dashes and underscores, and begin with a letter'
}

export function checkEmail(text: string): string | undefined {
  return text.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text)
    ? undefined
    : 'must be an e-mail address'
}

export function checkPassword(text: string): string | undefined {
  return text.length >= 8 && text.length <= 1024 ? undefined : 'must have 8 to 1,024 characters'
}

export function checkTokenName(text: string): string | undefined {
  return /^[^\p{Cc}]{1,64}$/u.test(text.trim()) ? undefined : 'must have 1 to 64 characters'
}
