/**
 * Sends many spellings of guarded paths to an application, and prints what came of them. Fails if one shows the secret.
 *
 * Usage: node --conditions=propylon-source test/guards/run.ts [ COUNT [SEED]]
 */
import { attack } from './attack.ts'
import { FACES, guardedSite } from './guarded-site.ts'

const [count = 100_000, seed = 1] = process.argv.slice(2).map(Number)
for (const face of FACES) {
  await using site = await guardedSite(face)
  const { sent, shown, statuses } = await attack(site, { count, seed })
  console.log(`${face}: ${sent} requests, seed ${seed}`)
  console.table(statuses)
  for (const bytes of shown.slice(0, 50)) console.log(JSON.stringify(bytes))
  console.log(`${shown.length} showed the secret`)
  if (shown.length > 0) process.exitCode = 1
}
