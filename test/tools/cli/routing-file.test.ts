import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { insertRoute } from '../../../src/tools/cli/routing-file.ts'
import { template } from '../../../src/tools/cli/templates.ts'

const LINE = "map.resource('comment', 'comments')"

describe('a new route goes', () => {
  test('above the default routes of a new project', () => {
    const text = insertRoute(template('project/config/routing.ts'), LINE) ?? ''
    assert.ok(text.indexOf(LINE) > text.indexOf("map.connect('home'"))
    assert.ok(text.indexOf(LINE) < text.indexOf('{controller}'))
  })
  test('above the first default route without the marker', () => {
    const text =
      "const map = new Mapper()\nmap.connect('/x')\nmap.connect('/{controller}')\nmap.connect('/{controller}/{action}')\n"
    assert.equal(
      insertRoute(text, LINE),
      `const map = new Mapper()\nmap.connect('/x')\n${LINE}\nmap.connect('/{controller}')\nmap.connect('/{controller}/{action}')\n`,
    )
  })
  test('above the default routes even if the marker is below them', () => {
    const text = "map.connect('/{controller}')\n// New routes go above this line\n"
    assert.equal(insertRoute(text, LINE), `${LINE}\n${text}`)
  })
  test('into a chain as a call', () => {
    const text = "const map = new Mapper()\n  .connect('/x')\n  .connect('/{controller}')\n"
    assert.equal(
      insertRoute(text, LINE),
      "const map = new Mapper()\n  .connect('/x')\n  .resource('comment', 'comments')\n  .connect('/{controller}')\n",
    )
  })
  test('with the line ends of the file', () => {
    assert.equal(
      insertRoute("a\r\nmap.connect('/{controller}')\r\n", LINE),
      `a\r\n${LINE}\r\nmap.connect('/{controller}')\r\n`,
    )
  })
  test('below the last route without default routes', () => {
    const head = "export const map: RouteMap = new Mapper({ editPath: '/edit' })\n"
    const route = "map.connect('x', '/x', {\n  action: 'x',\n})\n"
    const tail = '\nexport type Routes = typeof map\n'
    assert.equal(insertRoute(head + route + tail, LINE), `${head}${route}${LINE}\n${tail}`)
    assert.equal(insertRoute(head + tail, LINE), `${head}${LINE}\n${tail}`)
  })
  test('below the last link of a chain without default routes', () => {
    assert.equal(
      insertRoute("const map = new Mapper()\n  .connect('/x', {\n    action: 'x' });\n", LINE),
      "const map = new Mapper()\n  .connect('/x', {\n    action: 'x' })\n    .resource('comment', 'comments');\n",
    )
  })
  for (const text of ['', "// map.connect('/{controller}')\n"]) {
    test(`nowhere in ${JSON.stringify(text)}`, () => assert.equal(insertRoute(text, LINE), undefined))
  }
})
