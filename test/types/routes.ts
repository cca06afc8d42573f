import { write } from '../docs/layout.ts'

/** Writes a mapper of a thousand routes and resources. */
export function writeRoutes(folder: string): void {
  const numbers = Array.from({ length: 500 }, (_, index) => index)
  write(
    folder,
    'routes.ts',
    `import { Mapper } from 'propylon/routing'
const map = new Mapper()
${numbers.map((n) => `  .connect('route${n}', '/s${n}/{id:\\\\d{1,9}}{.format}', { controller: 'x', action: 'y' })`).join('\n')}
${numbers.map((n) => `  .resource('item${n}', 'items${n}', { member: { mark: 'POST' } })`).join('\n')}
map.url('route0', { id: 1 }) + map.url('mark_item499', { id: 1 })
// @ts-expect-error the id is missing
map.url('edit_item0')
`,
  )
}
