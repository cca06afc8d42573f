/** OpenAPI documents that linters judge. */
import { documentOf, Mapper } from '../app/openapi/documents.ts'
import { shelf } from '../app/openapi/shelf.ts'
import { BooksController } from '../controllers/declarations/books.ts'

const servers = [{ url: 'https://books.example.org' }]

const books = (options: { readonly license?: { readonly name: string; readonly identifier: string } }) =>
  documentOf(new Mapper().resource('book', 'books'), { books: BooksController }, { ...options, servers })

/** Documents without a problem. */
export const documents: readonly (readonly [name: string, document: () => Promise<object>])[] = [
  ['the document of a resource', () => books({ license: { name: 'MIT', identifier: 'MIT' } })],
  ['a document with all that actions can declare', () => shelf()],
]

/** Returns a document of which Redocly finds that it has no license. */
export const withoutLicense = () => books({})
