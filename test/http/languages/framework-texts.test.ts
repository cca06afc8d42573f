import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { FrameworkApp, Mapper } from 'propylon'
import { exceptionFor } from 'propylon/http'
import { STATUS_REASONS } from 'propylon/wsgi'
import { TEXTS } from '../../../src/http/languages/texts.ts'

const logged: string[] = []
const app = new FrameworkApp({
  map: new Mapper(),
  controllers: {},
  messages: { en: {}, de: {}, fr: {} },
  languages: ['en', 'de', 'fr'],
  logger: { info() {}, warn: (message) => logged.push(message), error() {} },
})

/** Returns the names of the values of an English text. */
const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

for (const language of ['de', 'fr']) {
  describe(`the framework's texts in ${language}`, () => {
    const file = fileURLToPath(import.meta.resolve(`propylon/messages/${language}.json`))
    const texts: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'))

    it('have the keys of the English ones', () => {
      const keys = Object.keys(texts).filter((key) => !key.startsWith('propylon.status.'))
      assert.deepEqual(keys, Object.keys(TEXTS))
    })

    it('take the values of the English ones', () => {
      const t = app.translator(language)
      // Counts are written in the way of the language: without their separators they are the same.
      const digits = (text: string) => text.replace(/(?<=\d)[.\u202f\u00a0](?=\d)/g, '')
      for (const [key, english] of Object.entries(TEXTS)) {
        const names = namesIn(english)
        fc.assert(
          fc.property(fc.array(fc.nat(), { minLength: names.length, maxLength: names.length }), (numbers) => {
            const values = Object.fromEntries(names.map((name, index) => [name, numbers[index] ?? 0]))
            const text = digits(t(key, values))
            for (const number of numbers) assert.ok(text.includes(String(number)), `${key}: ${text}`)
            assert.ok(!/[{}]/.test(text), text)
          }),
          { numRuns: 20 },
        )
      }
      assert.deepEqual(logged, [])
    })

    it('have a title and an explanation for each status', () => {
      const t = app.translator(language)
      for (const status of STATUS_REASONS.keys()) {
        if (exceptionFor(status) === undefined) continue
        const [title, explanation] = ['title', 'explanation'].map((part) => `propylon.status.${status}.${part}`)
        assert.notEqual(t(title ?? ''), title)
        assert.notEqual(t(explanation ?? ''), explanation)
      }
      assert.deepEqual(logged, [])
    })
  })
}

it('the reference lists each key with its text', () => {
  const page = readFileSync(new URL('../../../docs/reference/messages.md', import.meta.url), 'utf8')
  const list: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
  assert.deepEqual(list, TEXTS)
})
