/** Makes documents of small applications. */
import { FrameworkApp, Mapper } from 'propylon'
import { assertOpenAPI } from '../../rpc/faces/documents.ts'

type Options = ConstructorParameters<typeof FrameworkApp>[0]

/** An operation of a document, as far as tests read it. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly deprecated?: boolean
  readonly security?: unknown
  readonly parameters?: readonly Record<string, unknown>[]
  readonly requestBody?: {
    readonly required: boolean
    readonly description?: string
    readonly content: Readonly<Record<string, { readonly schema: unknown }>>
  }
  readonly responses: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly 'x-codegen-request-body-name'?: string
}

/** A document, as far as tests read it. */
export interface Document {
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: unknown
  readonly security: unknown
  readonly tags: unknown
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Record<string, unknown>>>
    readonly responses?: unknown
    readonly securitySchemes?: unknown
  }
}

/** Returns an application with a document. */
export function documented(
  map: Options['map'],
  controllers: Record<string, new () => object>,
  openapi: Partial<NonNullable<Options['openapi']>> = {},
): FrameworkApp {
  const logger = { info() {}, warn() {}, error() {} }
  // Its classes extend WSGIController.
  const record = controllers as NonNullable<Extract<Options['controllers'], object>>
  return new FrameworkApp({
    map,
    controllers: record,
    logger,
    openapi: { title: 'Test', version: '1.0.0', ...openapi },
  })
}

/** Returns the document of a mapper and its controllers, after it was validated. */
export async function documentOf(...parts: Parameters<typeof documented>): Promise<Document> {
  const document: unknown = JSON.parse(JSON.stringify(await documented(...parts).openapi()))
  await assertOpenAPI(document as object)
  return document as Document
}

/** Returns the operations of a document as `GET /books books_index`. */
export function operationsIn({ paths }: Document): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
  )
}

/** Returns an operation of a document. */
export function operationIn({ paths }: Document, id: string): Operation {
  const found = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .find(({ operationId }) => operationId === id)
  if (found === undefined) throw new Error(`no operation ${id}`)
  return found
}

export { Mapper }
