import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { bareProject, contents, propylonHere, temporaryFolder, tree, writeTree } from './command-line.ts'

function project(manifest: string): string {
  const folder = bareProject()
  writeFileSync(join(folder, 'package.json'), manifest)
  return folder
}

describe('propylon deploy', () => {
  for (const [words, files] of [
    [['systemd'], ['deploy/propylon.service']],
    [['nginx', '--host', 'Shop.example', '--prefix', '/store/'], ['deploy/nginx.conf']],
    [
      ['docker', '--name', 'shop'],
      ['.dockerignore', 'Dockerfile'],
    ],
  ] as const) {
    test(`${words.join(' ')} writes ${files.join(' and ')}, and never overwrites`, async () => {
      const cwd = project('{ "name": "@acme/Shop-1" }')
      const before = tree(cwd)
      const dry = await propylonHere(['deploy', ...words, '--dry-run'], cwd)
      assert.deepEqual([dry.status, tree(cwd)], [0, before])
      assert.equal((await propylonHere(['deploy', ...words], cwd)).status, 0)
      assert.deepEqual(tree(cwd), [...files, ...before].sort())
      const written = contents(cwd)
      for (const file of files)
        assert.doesNotMatch(written[file] ?? '', /project-|Put |www\.example|node-version/)
      const again = await propylonHere(['deploy', ...words], cwd)
      assert.deepEqual([again.status, again.stdout], [2, ''])
      assert.match(again.stderr, / exists already; [^\n]+\n$/)
      assert.deepEqual(contents(cwd), written)
    })
  }

  test('writes no file if one of several exists', async () => {
    const cwd = project('{}')
    writeFileSync(join(cwd, '.dockerignore'), 'mine')
    const before = contents(cwd)
    assert.equal((await propylonHere(['deploy', 'docker'], cwd)).status, 2)
    assert.deepEqual(contents(cwd), before)
  })

  for (const [manifest, name] of [
    ['{ "name": "@acme/Shop-1" }', 'shop-1'],
    ['{ "name": "3d-shop" }', 'site-3d-shop'],
    [`{ "name": "${'a'.repeat(40)}" }`, 'a'.repeat(31)],
  ] as const) {
    test(`names the service of ${manifest.slice(0, 30)} ${name}`, async () => {
      const cwd = project(manifest)
      await propylonHere(['deploy', 'systemd'], cwd)
      assert.match(
        readFileSync(join(cwd, 'deploy/propylon.service'), 'utf8'),
        new RegExp(`^User=${name}$`, 'm'),
      )
    })
  }

  test('runs migrations before the service starts, if there are any', async () => {
    for (const hasMigrations of [true, false]) {
      const cwd = project('{}')
      if (hasMigrations) writeTree(cwd, { 'migrations/1.ts': '' })
      const docker = await propylonHere(['deploy', 'docker', '--name', 'shop'], cwd)
      assert.equal(
        /docker run --rm --env-file \.env shop node .* migrate$/m.test(docker.stdout),
        hasMigrations,
      )
      await propylonHere(['deploy', 'systemd'], cwd)
      const unit = readFileSync(join(cwd, 'deploy/propylon.service'), 'utf8')
      assert.equal(/^ExecStartPre=.* migrate\nExecStart=.* serve /m.test(unit), hasMigrations)
    }
  })

  for (const [words, because] of [
    [['ngin'], "there are no files for 'ngin'; did you mean 'propylon deploy nginx'?"],
    [['kubernetes'], "there are no files for 'kubernetes'; write systemd, nginx, docker"],
    [[], "'propylon deploy' takes 1 argument, but got 0; write 'propylon deploy TARGET [options]'"],
    [['docker', '--host', 'a.example'], '--host is an option for nginx; omit it for docker'],
    [['systemd', '--prefix', '/a'], '--prefix is an option for nginx; omit it for systemd'],
    [['nginx', '--prefix', '/a;b'], "'/a;b' is not a prefix; write a path such as /store"],
    [['nginx', '--prefix', '/a/../b'], "'/a/../b' is not a prefix; write a path such as /store"],
    [['nginx', '--prefix', 'a'], "'a' is not a prefix; write a path such as /store"],
    [['nginx', '--host', 'a b'], "'a b' is not the name of a host; write one such as www.example.com"],
    [['nginx', '--host', 'a;}'], "'a;}' is not the name of a host; write one such as www.example.com"],
    [
      ['systemd', '--name', 'Shop'],
      "'Shop' is not a name of a service; write up to 31 small letters, digits and dashes",
    ],
  ] as const) {
    test(`refuses ${JSON.stringify(words)}`, async () => {
      const cwd = project('{}')
      const before = tree(cwd)
      const outcome = await propylonHere(['deploy', ...words], cwd)
      assert.deepEqual(outcome, { status: 2, stdout: '', stderr: `propylon: ${because}\n` })
      assert.deepEqual(tree(cwd), before)
    })
  }

  test('refuses a folder without a project, and a malformed package.json', async () => {
    assert.match(
      (await propylonHere(['deploy', 'systemd'], temporaryFolder())).stderr,
      /there is no project in/,
    )
    const { status, stderr } = await propylonHere(['deploy', 'systemd'], project('{'))
    assert.equal(status, 2)
    assert.match(stderr, /^propylon: package\.json cannot be read: [^\n]+; correct it\n$/)
  })
})
