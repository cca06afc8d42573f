import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readDocumentation } from '../../src/controllers/doc-comment.ts'

const texts: { help: string; text: string; parameters: Record<string, string> }[] = [
  { help: '', text: '', parameters: {} },
  { help: 'Finds articles.', text: 'Finds articles.', parameters: {} },
  {
    help: 'Finds articles.\n\n@param query words to look for\n@param limit',
    text: 'Finds articles.',
    parameters: { query: 'words to look for', limit: '' },
  },
  {
    help: '@param {string} a - text\n@param {Map<string, int>} b text',
    text: '',
    parameters: { a: 'text', b: 'text' },
  },
  { help: '@param [a] text\n@param {int} [b=10] - text', text: '', parameters: { a: 'text', b: 'text' } },
  {
    help: '@param a.b text\n@param $c_1 -5 or more',
    text: '',
    parameters: { 'a.b': 'text', $c_1: '-5 or more' },
  },
  {
    help: 'Finds.\n@param a a text\n  of two lines\n@returns articles\n\nMore.',
    text: 'Finds.\n@returns articles\n\nMore.',
    parameters: { a: 'a text of two lines' },
  },
  { help: 'One.\n\n@param a text\n\nTwo.', text: 'One.\n\nTwo.', parameters: { a: 'text' } },
  {
    help: 'The tag @param is not at the start.',
    text: 'The tag @param is not at the start.',
    parameters: {},
  },
  { help: '@parameter a text\n@param', text: '@parameter a text\n@param', parameters: {} },
  { help: '@param __proto__ text', text: '', parameters: { ['__proto__']: 'text' } },
]

describe('readDocumentation', () => {
  for (const { help, text, parameters } of texts) {
    it(`reads ${JSON.stringify(help)}`, () => {
      const read = readDocumentation(help)
      assert.equal(read.text, text)
      assert.deepEqual(Object.fromEntries(read.parameters), parameters)
    })
  }
})
