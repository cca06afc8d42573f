#!/usr/bin/env node
const { node } = process.versions
if (Number.parseInt(node, 10) < 20) {
  console.error(`npm create propylon needs Node 20 or newer, and projects need 22.18: this is ${node}.`)
  process.exitCode = 1
} else {
  const { createPropylon } = await import('propylon/create')
  process.exitCode = await createPropylon(process.argv.slice(2))
}
