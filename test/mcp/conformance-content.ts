/** The values that the official conformance suite expects of the application and of the service. */
import { setTimeout } from 'node:timers/promises'

export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
export const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=='

export const SIMPLE_TEXT = 'This is a simple text response for testing.'

export const text = (value: string) => ({ type: 'text', text: value })
export const image = { type: 'image', data: PIXEL, mimeType: 'image/png' }

export const RESOURCE = {
  type: 'resource',
  resource: {
    uri: 'test://embedded-resource',
    mimeType: 'text/plain',
    text: 'This is an embedded resource content.',
  },
}

export const MIXED = [
  text('Multiple content types test:'),
  image,
  {
    type: 'resource',
    resource: {
      uri: 'test://mixed-content-resource',
      mimeType: 'application/json',
      text: '{"test":"data","value":123}',
    },
  },
]

export async function* progress() {
  for (const value of [0, 50, 100]) {
    yield { event: 'progress', data: { progress: value, total: 100 } }
    await setTimeout(50)
  }
}

export async function* logging() {
  for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    yield { event: 'log', data: { level: 'info', data } }
    await setTimeout(50)
  }
}
