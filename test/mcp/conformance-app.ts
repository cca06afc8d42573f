/**
 * The application that the official conformance suite tests: its tools, resources and prompts as actions and templates of a
 * controller.
 *
 * The suite reads resources of the scheme `test:`. Resources of an application have its own URLs, so `test://x` is
 * `http://HOST/x` here, in both directions.
 */
import { abort, eventStream, FrameworkApp, Mapper, type ServerSentEvent, WSGIController } from 'propylon'
import { string } from 'propylon/converters'
import { fromFetch } from 'propylon/fetch'
import * as z from 'zod'
import { image, logging, MIXED, PIXEL, progress, RESOURCE, SIMPLE_TEXT, text, WAV } from './conformance-content.ts'

function bytes(base64: string, type: string): Response {
  return new Response(Buffer.from(base64, 'base64'), { headers: { 'Content-Type': type } })
}

class TestController extends WSGIController {
  static tools = [
    'audio_content',
    'embedded_resource',
    'error_handling',
    'header_tool',
    'image_content',
    'logging_tool',
    'multiple_content_types',
    'simple_text',
    'streaming_elicitation',
    'tool_with_logging',
    'tool_with_progress',
  ]
  static resources = ['static_binary', 'static_text', 'template_data']
  static prompts = {
    simple_prompt: 'simple',
    prompt_with_arguments: 'arguments',
    prompt_with_embedded_resource: 'simple',
    prompt_with_image: 'simple',
  }
  static args = {
    header_tool: { region: z.string().meta({ 'x-mcp-header': 'Region' }), query: z.string() },
    prompt_with_arguments: { arg1: string, arg2: string },
    prompt_with_embedded_resource: { resourceUri: string },
  }

  simple_text() {
    this.response.contentType = 'text/plain'
    return SIMPLE_TEXT
  }

  image_content() {
    return bytes(PIXEL, 'image/png')
  }

  audio_content() {
    return bytes(WAV, 'audio/wav')
  }

  embedded_resource() {
    return { content: [RESOURCE] }
  }

  multiple_content_types() {
    return { content: MIXED }
  }

  error_handling() {
    abort(422, 'This tool intentionally returns an error for testing')
  }

  /** Has an argument that clients repeat in a header field. */
  header_tool(region: string, query: string) {
    return { region, query }
  }

  tool_with_progress() {
    return eventStream(ended(progress()))
  }

  tool_with_logging() {
    return eventStream(ended(logging()))
  }

  logging_tool() {
    return eventStream(ended(logging()))
  }

  streaming_elicitation() {
    return eventStream(ended(progress()))
  }

  static_text() {
    this.response.contentType = 'text/plain'
    return 'This is the content of the static text resource.'
  }

  static_binary() {
    return bytes(PIXEL, 'image/png')
  }

  template_data(id: string) {
    return { id, templateTest: true, data: `Data for ID: ${id}` }
  }

  /** A prompt with two arguments. */
  prompt_with_arguments(arg1: string, arg2: string) {
    return { arg1, arg2 }
  }

  prompt_with_embedded_resource(resourceUri: string) {
    const resource = {
      uri: resourceUri,
      mimeType: 'text/plain',
      text: 'Embedded resource content for testing.',
    }
    return {
      content: [{ type: 'resource', resource }, text('Please process the embedded resource above.')],
    }
  }

  prompt_with_image() {
    return { content: [image, text('Please analyze the image above.')] }
  }
}

/** Yields the events of a stream, then its result. */
async function* ended(events: AsyncIterable<ServerSentEvent>) {
  yield* events
  yield { data: 'Done.' }
}

const map = new Mapper()
  .connect('/static-text', { controller: 'test', action: 'static_text', conditions: { method: 'GET' } })
  .connect('/static-binary', { controller: 'test', action: 'static_binary', conditions: { method: 'GET' } })
  .connect('/template/{id}/data', {
    controller: 'test',
    action: 'template_data',
    conditions: { method: 'GET' },
  })
  .connect('/{controller}/{action}')

const app = new FrameworkApp({
  map,
  controllers: { test: TestController },
  templates: {
    simple: 'This is a simple prompt for testing.',
    arguments: "Prompt with arguments: arg1='<%= it.arg1 %>', arg2='<%= it.arg2 %>'",
  },
  mcp: { name: 'conformance' },
})

/** The application, with URIs of the scheme `test:`. */
export default fromFetch(async (request) => {
  const base = `${new URL(request.url).origin}/`
  const headers = new Headers(request.headers)
  const name = headers.get('mcp-name')
  if (name?.startsWith('test://')) headers.set('mcp-name', base + name.slice('test://'.length))
  const body = request.method === 'POST' ? await request.text() : null
  headers.delete('content-length')
  const sent = body?.replaceAll(/"uri":\s*"test:\/\//g, `"uri":"${base}`) ?? null
  const response = await app.fetch(new Request(request.url, { method: request.method, headers, body: sent }))
  if (!response.headers.get('content-type')?.includes('json')) return response
  const answered = (await response.text()).replaceAll(new RegExp(`"(uri|uriTemplate)":"${base}`, 'g'), '"$1":"test://')
  const fields = new Headers(response.headers)
  fields.delete('content-length')
  return new Response(answered, { status: response.status, headers: fields })
})
