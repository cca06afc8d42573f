/** A short run of the subjects of `npm run fuzz` that need other programs. */
import { shortRun } from '../fuzz/short-run.ts'
import { subjects } from '../fuzz/subjects.ts'

for (const subject of subjects) {
  if (subject.needs !== undefined) shortRun(subject)
}
