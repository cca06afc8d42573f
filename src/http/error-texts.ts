/**
 * The texts of an error response in the language of its reader.
 *
 * @module
 */

import type { Environ } from '../wsgi/types.ts'
import type { HeaderList, HeadersLike } from './headers.ts'
import { FrameworkText, type TextKey, type TextValues } from './languages/texts.ts'
import { translationOf } from './languages/translation.ts'

/** The texts of an error. */
export interface ErrorTexts {
  readonly statusLine: string
  readonly title: string
  readonly explanation: string
  readonly detail: string | undefined
  /** Language of the texts. Undefined if the application has no messages. */
  readonly language?: string
}

type ExceptionClass<E> = new (detail?: string, headers?: HeadersLike, options?: { readonly cause?: unknown }) => E

const details = new WeakMap<object, FrameworkText>()

/**
 * Creates an exception whose detail is a text of the framework.
 *
 * @param options - header fields, and the original error.
 */
export function worded<E extends Error>(
  Class: ExceptionClass<E>,
  key: TextKey,
  values?: TextValues,
  { headers, ...options }: { readonly headers?: HeadersLike; readonly cause?: unknown } = {},
): E {
  const text = new FrameworkText(key, values)
  const exception = new Class(String(text), headers, options)
  details.set(exception, text)
  return exception
}

const sentences = new Set<string>()

/** Notes that an explanation is the framework's own. Returns it. */
export function frameworkExplanation(sentence: string): string {
  sentences.add(sentence)
  return sentence
}

/** Returns the texts of an exception in the language of a request. */
export function errorTexts(exception: ErrorTexts & { readonly status: number }, environ: Environ): ErrorTexts {
  const { status, statusLine, title, explanation, detail } = exception
  const translation = translationOf(environ)
  if (translation === undefined) return { statusLine, title, explanation, detail }
  const key = `propylon.status.${status}`
  const shown = translation.own(environ, { key: `${key}.title`, english: title })
  const own = details.get(exception)
  return {
    language: shown.language,
    title: shown.text,
    statusLine: statusLine.replace(`${status} ${title}`, () => `${status} ${shown.text}`),
    // An explanation of a class of the application says more than the translation for its status.
    explanation: sentences.has(explanation)
      ? translation.own(environ, { key: `${key}.explanation`, english: explanation }).text
      : translation.textOf(environ, explanation),
    detail: own === undefined ? detail : translation.own(environ, own).text,
  }
}

/** Adds the language of the texts to the headers of their response. */
export function describeLanguage({ language }: ErrorTexts, environ: Environ, headers: HeaderList): void {
  if (language === undefined) return
  headers.setDefault('Content-Language', language)
  translationOf(environ)?.describe(headers)
}
