/**
 * Tests an application in process: `TestApp` sends requests, keeps cookies, parses pages and submits forms.
 *
 * Pages require the packages `parse5` and `css-select`, and cookies `tough-cookie`. Each is imported on first use.
 *
 * @module
 */

export { type EventsOptions, type SignInValues, TestApp, type TestAppOptions } from './app.ts'
export type {
  EncodedBody,
  FieldPairs,
  FieldRecord,
  Fields,
  RequestBody,
  Scalar,
} from './bodies.ts'
export type { Entry } from './controls.ts'
export { type CookieAttributes, CookieJar, type StoredCookie } from './cookies.ts'
export { HtmlDocument, HtmlElement } from './document.ts'
export type { TestEvent } from './events.ts'
export { type ButtonChoice, type FieldValue, Form, type FormContext } from './form.ts'
export type {
  BodyOptions,
  ExpectedStatus,
  HeaderFields,
  NextRequest,
  RequestOptions,
  TestRequest,
  TestRequestInit,
} from './request.ts'
export { TestResponse, type TestResponseInit } from './response.ts'
