/** Calls the application at the URL of the command line by the generated client, and prints the results. */
import { ApiError, createClient } from '../../rpc/client/library-client.ts'

declare const process: { readonly argv: readonly string[] }

const api = createClient({ baseUrl: process.argv.at(-1) ?? '', headers: { 'x-test': 'yes' } })
const photo = new File(['abc'], 'a.png', { type: 'image/png' })
const results = [
  await api.books.index({ page: 2, tag: ['a', 'ü'] }),
  await api.books.create({ book: { title: 'Emma' } }),
  (await api.books.delete({ id: 3 })) ?? 'nothing',
  await api.books.text({ id: 'a/b' }),
  await api.books.cover({ id: 3, cover: { photo } }),
  await api.admin.reports.index(),
  await api.books.show({ id: 404 }).catch((error) => error instanceof ApiError && error.problem?.detail),
]
console.log(JSON.stringify(results))
