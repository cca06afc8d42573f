import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, relative } from 'node:path'
import { describe, it } from 'node:test'
import { pagesIn, ROOT } from './blocks.ts'

/** Returns the anchors of a page's headings, as GitHub and VitePress make them. */
function anchorsOf(path: string): Set<string> {
  const prose = readFileSync(path, 'utf8').replaceAll(/^(`{3,}).*\n[\s\S]*?^\1$/gm, '')
  return new Set(
    [...prose.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  )
}

describe('the links of the documentation', () => {
  const pages = pagesIn('*.md', 'docs/**/*.md', 'examples/**/*.md').filter(
    ({ path }) => !/node_modules|docs\/site/.test(path),
  )

  it('lead to files and headings that exist', () => {
    const broken: string[] = []
    for (const { path, text } of pages) {
      const prose = text.replaceAll(/^(`{3,}).*\n[\s\S]*?^\1$/gm, '')
      for (const [, target = ''] of prose.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)) {
        const [file = '', anchor] = target.split('#')
        const destination = file === '' ? join(ROOT, path) : join(ROOT, dirname(path), file)
        const isMissing = !existsSync(destination)
        if (isMissing || (anchor !== undefined && !anchorsOf(destination).has(anchor))) {
          broken.push(`${path}: ${target} (${relative(ROOT, destination)})`)
        }
      }
    }
    assert.deepEqual(broken, [])
  })

  it('lead to files of the package if the page is in it', () => {
    const { files }: { files: string[] } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const isPacked = (path: string) =>
      path === 'README.md' ||
      (path.startsWith('docs/') ? !path.startsWith('docs/site/') : files.some((file) => matchesGlob(path, file)))
    const outside = pages
      .filter(({ path }) => isPacked(path))
      .flatMap(({ path, text }) =>
        [...text.replaceAll(/^(`{3,}).*\n[\s\S]*?^\1$/gm, '').matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
          .map(([, target = '']) => relative(ROOT, join(ROOT, dirname(path), target)))
          .filter((target) => !isPacked(target))
          .map((target) => `${path}: ${target}`),
      )
    assert.deepEqual(outside, [], 'name the file in code instead of linking to it')
  })

  it('stand at the end of every guide', () => {
    const without = pages.filter(({ path, text }) => {
      const last = text.trimEnd().split(/^## /m).at(-1) ?? ''
      return path.startsWith('docs/guides/') && !/\]\([^)]+\)/.test(last)
    })
    assert.deepEqual(
      without.map(({ path }) => path),
      [],
    )
  })
})
