import assert from 'node:assert/strict'
import type { Task } from '../task.ts'

/**
 * The application has a server for the Model Context Protocol at `/mcp` with one tool, `books_search`. It takes the
 * text `word` and returns the books whose titles contain it, in any case: `{"titles":["Walden"]}` for `wald`. The
 * books are Walden and Emma. Its description is `Finds books by a word of their title.`
 */
const task: Task = {
  async check({ visitor }) {
    const send = async <Result>(method: string, params: object) => {
      const message = { jsonrpc: '2.0', id: 1, method, params }
      return (await visitor().postJson('/mcp', message)).json<{ result: Result }>().result
    }
    interface Listed {
      readonly tools: readonly { name: string; description: string; inputSchema: { required?: string[] } }[]
    }
    const { tools } = await send<Listed>('tools/list', {})
    assert.deepEqual(
      tools.map(({ name, description }) => [name, description]),
      [['books_search', 'Finds books by a word of their title.']],
    )
    assert.deepEqual(tools[0]?.inputSchema.required, ['word'])
    const found = await send<{ structuredContent?: unknown }>('tools/call', {
      name: 'books_search',
      arguments: { word: 'wald' },
    })
    assert.deepEqual(found.structuredContent, { titles: ['Walden'] })
  },
}

export default task
