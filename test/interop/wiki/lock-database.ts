/** Locks a file of SQLite until its standard input ends. */
import { DatabaseSync } from 'node:sqlite'

const database = new DatabaseSync(process.argv[2] ?? '', { timeout: 5000 })
database.exec('begin immediate')
process.stdout.write('locked\n')
process.stdin.on('end', () => {
  database.exec('rollback')
  process.exit()
})
process.stdin.resume()
