/** The service that the official conformance suite tests: its tools as methods, by the face `mcp`. */
import { FrameworkApp, Mapper } from 'propylon'
import { Fault, RPCController } from 'propylon/rpc'
import * as z from 'zod'
import { image, logging, MIXED, progress, RESOURCE, SIMPLE_TEXT, WAV } from './conformance-content.ts'

class TestController extends RPCController {
  static faces = ['mcp']
  static args = {
    test_header_tool: { region: z.string().meta({ 'x-mcp-header': 'Region' }), query: z.string() },
  }
  static results = { test_header_tool: z.object({ region: z.string(), query: z.string() }) }

  test_simple_text() {
    return SIMPLE_TEXT
  }

  test_image_content() {
    return { content: [image] }
  }

  test_audio_content() {
    return { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }
  }

  test_embedded_resource() {
    return { content: [RESOURCE] }
  }

  test_multiple_content_types() {
    return { content: MIXED }
  }

  test_error_handling() {
    throw new Fault(1, 'This tool intentionally returns an error for testing')
  }

  /** Has an argument that clients repeat in a header field. */
  test_header_tool(region: string, query: string) {
    return { region, query }
  }

  async *test_tool_with_progress() {
    yield* progress()
    return 'Done.'
  }

  async *test_tool_with_logging() {
    yield* logging()
    return 'Done.'
  }

  async *test_logging_tool() {
    yield* logging()
    return 'Done.'
  }

  async *test_streaming_elicitation() {
    yield* progress()
    return 'Done.'
  }
}

export default new FrameworkApp({
  map: new Mapper().rpc('test', '/test'),
  controllers: { test: TestController },
})
