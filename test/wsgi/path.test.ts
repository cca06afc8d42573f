import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createEnviron, decodePath, encodePath, rawPathInfo } from 'propylon/wsgi'
import { targetPath } from '../../src/wsgi/path.ts'

const anyPath = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && text.isWellFormed())

describe('decodePath', () => {
  const cases: [raw: string, path: string | undefined][] = [
    ['/a', '/a'],
    ['/caf%C3%A9', '/café'],
    ['/a%2fb', '/a/b'],
    ['/a+b', '/a+b'],
    ['/%25', '/%'],
    ['/%', undefined],
    ['/%2', undefined],
    ['/%zz', undefined],
    ['/%ff', undefined],
    ['/%c0%af', undefined],
    ['/%ed%a0%80', undefined],
    ['/%00', undefined],
    ['/\0', undefined],
  ]
  for (const [raw, path] of cases)
    it(`${JSON.stringify(raw)} → ${JSON.stringify(path)}`, () => assert.equal(decodePath(raw), path))

  it('is the inverse of encodePath', () => {
    fc.assert(fc.property(anyPath, (path) => assert.equal(decodePath(encodePath(path)), path)))
  })
})

describe('encodePath', () => {
  it('does not encode characters that a path may contain', () => {
    const path = "/a-b.c_d~e/;x=1,2:@!$&'()*+"
    assert.equal(encodePath(path), path)
  })

  it('encodes ? and #', () => {
    assert.equal(encodePath('/a?b#c%d'), '/a%3Fb%23c%25d')
  })

  it('encodes a lone surrogate', () => assert.equal(encodePath('/\ud800'), '/%EF%BF%BD'))
})

describe('targetPath', () => {
  const cases: [target: string, path: string][] = [
    ['/a?b', '/a'],
    ['//a', '//a'],
    ['http://h/a?b', '/a'],
    ['http://h', '/'],
    ['http://host.example:80/a/b', '/a/b'],
    ['/a/http://h/b', '/a/http://h/b'],
    ['?b', ''],
    ['*', '*'],
  ]
  for (const [target, path] of cases) it(`${target} → ${path}`, () => assert.equal(targetPath(target), path))
})

describe('rawPathInfo', () => {
  const cases: [what: string, environ: Parameters<typeof createEnviron>[0], raw: string][] = [
    ['a plain path', { url: '/a/b' }, '/a/b'],
    ['a query', { url: '/a/b?c=/d' }, '/a/b'],
    ['an encoded slash', { url: '/a%2Fb' }, '/a%2Fb'],
    ['an absolute target', { extra: { REQUEST_URI: 'http://h/a%2Fb?c', PATH_INFO: '/a/b' } }, '/a%2Fb'],
    ['a mounted application', { url: '/blog/a%2Fb', scriptName: '/blog' }, '/a%2Fb'],
    [
      'a mount point that is encoded',
      { url: '/caf%C3%A9%F0%9F%98%80/%C3%A9', scriptName: '/café😀' },
      '/%C3%A9',
    ],
    ['an empty PATH_INFO', { url: '/blog', scriptName: '/blog' }, ''],
    [
      'a PATH_INFO that middleware has changed',
      { url: '/old', extra: { PATH_INFO: '/new é' } },
      '/new%20%C3%A9',
    ],
    ['no REQUEST_URI', { extra: { REQUEST_URI: undefined, PATH_INFO: '/a b' } }, '/a%20b'],
    ['a percent sign that is one', { url: '/100%25' }, '/100%25'],
  ]
  for (const [what, init, raw] of cases) it(what, () => assert.equal(rawPathInfo(createEnviron(init)), raw))

  it('decodes to PATH_INFO wherever the application is mounted', () => {
    fc.assert(
      fc.property(anyPath, anyPath, (mount, rest) => {
        const scriptName = `/${mount}`
        const environ = createEnviron({ url: encodePath(`${scriptName}/${rest}`), scriptName })
        assert.equal(decodePath(rawPathInfo(environ)), `/${rest}`)
      }),
    )
  })
})
