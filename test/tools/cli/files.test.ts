import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CommandError, UsageError } from '../../../src/base/command-line/command-errors.ts'
import { checkNewFiles, type NewFile, writeFiles } from '../../../src/tools/cli/files.ts'
import { contents, temporaryFolder, tree, writeTree } from './command-line.ts'

describe('writing files', () => {
  test('creates the folders of the files', () => {
    const root = temporaryFolder()
    writeFiles(root, [
      { path: 'a/b/c.ts', text: 'c' },
      { path: 'a/d.ts', text: 'd' },
    ])
    assert.deepEqual(contents(root), { 'a/b/c.ts': 'c', 'a/d.ts': 'd' })
  })

  test('refuses a file that another process has just created, and keeps it', () => {
    const root = temporaryFolder()
    const file = {
      path: 'a/b.ts',
      get text() {
        writeFileSync(join(root, 'a/b.ts'), 'theirs')
        return 'ours'
      },
    }
    assert.throws(() => writeFiles(root, [file]), UsageError)
    assert.deepEqual(contents(root), { 'a/b.ts': 'theirs' })
  })

  test('undoes the other steps if one cannot be undone, and reports both errors', () => {
    const root = temporaryFolder()
    const files = [
      { path: 'a/b.ts', text: 'b' },
      { path: 'c.ts', text: 'c' },
      {
        path: 'd.ts',
        get text(): string {
          rmSync(join(root, 'c.ts'))
          throw new Error('no text')
        },
      },
    ]
    assert.throws(
      () => writeFiles(root, files),
      (error) => error instanceof CommandError && /may remain: no text; ENOENT/.test(error.message),
    )
    assert.deepEqual(tree(root), [])
  })

  test('changes a file in place and keeps its mode', () => {
    const root = temporaryFolder()
    writeFileSync(join(root, 'routing.ts'), 'old')
    chmodSync(join(root, 'routing.ts'), 0o640)
    writeFiles(root, [{ path: 'new.ts', text: '' }], [{ path: 'routing.ts', before: 'old', text: 'new' }])
    assert.equal(readFileSync(join(root, 'routing.ts'), 'utf8'), 'new')
    assert.equal(statSync(join(root, 'routing.ts')).mode & 0o777, 0o640)
  })

  test('changes the target of a symbolic link', () => {
    const root = temporaryFolder()
    writeTree(root, { 'real/routing.ts': 'old' })
    symlinkSync('real/routing.ts', join(root, 'routing.ts'))
    writeFiles(root, [], [{ path: 'routing.ts', before: 'old', text: 'new' }])
    assert.deepEqual(contents(root), { 'real/routing.ts': 'new', 'routing.ts': 'new' })
    assert.ok(readdirSync(root, { withFileTypes: true }).some((entry) => entry.isSymbolicLink()))
  })

  test('writes nothing if one file exists', () => {
    const root = temporaryFolder()
    writeTree(root, { 'b.ts': 'mine' })
    assert.throws(
      () =>
        writeFiles(root, [
          { path: 'new/a.ts', text: '' },
          { path: 'b.ts', text: '' },
        ]),
      UsageError,
    )
    assert.deepEqual(contents(root), { 'b.ts': 'mine' })
    assert.deepEqual(readdirSync(root), ['b.ts'])
  })

  test('writes nothing if a file to change was changed by another program', () => {
    const root = temporaryFolder()
    writeTree(root, { 'routing.ts': 'newer' })
    const change = { path: 'routing.ts', before: 'old', text: 'new' }
    assert.throws(() => writeFiles(root, [{ path: 'a.ts', text: '' }], [change]), UsageError)
    assert.deepEqual(contents(root), { 'routing.ts': 'newer' })
  })

  test('writes nothing if a file to change was removed by another program', () => {
    const root = temporaryFolder()
    const change = { path: 'routing.ts', before: 'old', text: 'new' }
    assert.throws(
      () => writeFiles(root, [{ path: 'a.ts', text: '' }], [change]),
      (error) => error instanceof UsageError && /^routing\.ts was changed or removed/.test(error.message),
    )
    assert.deepEqual(tree(root), [])
  })

  test('changes a file beside the temporary one of a process that was killed, and keeps that one', () => {
    const root = temporaryFolder()
    const temporary = `routing.ts.${process.pid}.tmp`
    writeTree(root, { 'routing.ts': 'old', [temporary]: 'theirs' })
    writeFiles(root, [], [{ path: 'routing.ts', before: 'old', text: 'new' }])
    assert.deepEqual(contents(root), { 'routing.ts': 'new', [temporary]: 'theirs' })
  })

  test('removes the folders around one that cannot be created', () => {
    const root = temporaryFolder()
    const path = `a/b/${'c'.repeat(300)}/d.ts`
    assert.throws(
      () =>
        writeFiles(root, [
          { path: 'new.ts', text: '' },
          { path, text: '' },
        ]),
      UsageError,
    )
    assert.deepEqual(readdirSync(root), [])
  })

  test('closes a file that cannot be written', { skip: process.platform !== 'linux' }, () => {
    const root = temporaryFolder()
    const open = () => readdirSync('/proc/self/fd').length
    const before = open()
    // A text that is not one fails after the file is open, as a full disk does.
    const unwritable: unknown = { path: 'a.ts', text: Symbol('text') }
    assert.throws(() => writeFiles(root, [unwritable as NewFile]), TypeError)
    assert.equal(open(), before)
    assert.deepEqual(tree(root), [])
  })

  test('undoes everything if a later step fails', () => {
    const root = temporaryFolder()
    writeTree(root, { 'routing.ts': 'old' })
    const twice = [
      { path: 'x/y/a.ts', text: '1' },
      { path: 'x/y/a.ts', text: '2' },
    ]
    assert.throws(() => writeFiles(root, twice, [{ path: 'routing.ts', before: 'old', text: 'new' }]), UsageError)
    assert.deepEqual(readdirSync(root), ['routing.ts'])
    assert.deepEqual(contents(root), { 'routing.ts': 'old' })
  })
})

describe('a place for a new file is refused', () => {
  const prepare: Record<string, (root: string) => string> = {
    'where a file is': (root) => {
      writeTree(root, { 'a.ts': '' })
      return 'a.ts'
    },
    'where a dangling link is': (root) => {
      symlinkSync('nowhere', join(root, 'a.ts'))
      return 'a.ts'
    },
    'that differs from a file only in case': (root) => {
      writeTree(root, { 'A.ts': '' })
      return 'a.ts'
    },
    'below a folder that differs only in case': (root) => {
      writeTree(root, { 'Admin/x.ts': '' })
      return 'admin/a.ts'
    },
    'below a file': (root) => {
      writeTree(root, { admin: '' })
      return 'admin/a.ts'
    },
    'below a link that leads out': (root) => {
      symlinkSync(temporaryFolder(), join(root, 'admin'))
      return 'admin/a.ts'
    },
    'below a dangling link': (root) => {
      symlinkSync('nowhere', join(root, 'admin'))
      return 'admin/a.ts'
    },
  }
  for (const [place, make] of Object.entries(prepare)) {
    test(place, () => {
      const root = temporaryFolder()
      const path = make(root)
      const before = tree(root)
      assert.throws(() => checkNewFiles(root, [{ path, text: '' }]), UsageError)
      assert.deepEqual(tree(root), before)
    })
  }

  test('a link inside of the root is followed', () => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'real'))
    symlinkSync('real', join(root, 'admin'))
    checkNewFiles(root, [{ path: 'admin/a.ts', text: '' }])
  })
})
