/** Reads a multipart form whose files are streamed to temporary files. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { builtin } from '../../base/builtin.ts'
import { concatBytes } from '../../base/bytes.ts'
import { optionalPackage } from '../../base/optional-package.ts'
import type { TextKey, TextValues } from '../languages/texts.ts'
import { textIssue } from '../languages/translation.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { QueryParams } from '../query.ts'
import type { Request } from '../request.ts'
import { UploadedFile } from './files.ts'
import type { Part } from './parts.ts'

/** Rules for the files of a field. */
export interface FileRule {
  /** Maximum size of a file, in bytes. Defaults to 8 MiB. */
  readonly maxSize?: number
  /**
   * Media types that are accepted: `image/png`, `image/*`. A type whose files have a signature is recognized by the
   * first bytes, which requires the package `file-type`. Defaults to any.
   */
  readonly types?: readonly string[]
  /** Maximum number of files. The value is an array if it is above 1. Defaults to 1. */
  readonly count?: number
}

/** Rules by field. */
export type FileRules = Readonly<Record<string, FileRule>>

/** A form with its files. */
export interface Uploads {
  /** Text fields. */
  readonly fields: QueryParams
  /** Files by field, for each field with rules: a file or undefined, or an array if the rule allows several. */
  readonly files: ReadonlyMap<string, UploadedFile | readonly UploadedFile[] | undefined>
  /** Issues of files that the rules refuse. */
  readonly issues: readonly StandardSchemaV1.Issue[]
  /** Deletes the temporary files. Synchronous, so that none is left if the process ends with the request. */
  discard(): void
}

/** Number of bytes from which the type of a file is recognized. */
const SIGNATURE_LENGTH = 4100

/**
 * Reads a form. Files of fields without a rule are skipped.
 *
 * @throws HTTPUnsupportedMediaType - the body is not multipart.
 * @throws HTTPRequestEntityTooLarge - the form is larger than twice what the rules allow and 16 MiB.
 * @throws HTTPBadRequest - the form is malformed.
 */
export async function readUploads(request: Request, rules: FileRules): Promise<Uploads> {
  const { promises, rmSync } = builtin('node:fs')
  const directory = await promises.mkdtemp(builtin('node:path').join(builtin('node:os').tmpdir(), 'propylon-upload-'))
  const fields: [string, string][] = []
  const receiver = new Receiver(directory, rules)
  const discard = () => rmSync(directory, { recursive: true, force: true })
  try {
    for await (const part of request.parts({ file: Number.POSITIVE_INFINITY, total: totalOf(rules) })) {
      if (part.filename === undefined) fields.push([part.name, await part.text()])
      else await receiver.receive(part)
    }
  } catch (error) {
    discard()
    throw error
  }
  return {
    fields: new QueryParams(fields),
    files: receiver.files,
    issues: receiver.issues,
    discard,
  }
}

/**
 * Returns the maximum size of a form. A file that is too large is read to its end, so that the text behind it is
 * kept.
 */
function totalOf(rules: FileRules): number {
  const sizes = Object.values(rules).map(({ maxSize = DEFAULT_LIMITS.file, count = 1 }) => maxSize * count)
  return 2 * sizes.reduce((sum, size) => sum + size, 0) + DEFAULT_LIMITS.multipart
}

/** Writes the files of a form and collects the issues of those that the rules refuse. */
class Receiver {
  readonly issues: StandardSchemaV1.Issue[] = []
  readonly #directory: string
  readonly #rules: FileRules
  readonly #received = new Map<string, UploadedFile[]>()

  constructor(directory: string, rules: FileRules) {
    this.#directory = directory
    this.#rules = rules
  }

  get files(): Uploads['files'] {
    return new Map(
      Object.entries(this.#rules).map(([name, { count = 1 }]) => {
        const files = this.#received.get(name) ?? []
        return [name, count > 1 ? files : files[0]]
      }),
    )
  }

  async receive(part: Part): Promise<void> {
    const { name } = part
    const rule = Object.hasOwn(this.#rules, name) ? this.#rules[name] : undefined
    if (rule === undefined) return
    const { maxSize = DEFAULT_LIMITS.file, count = 1, types } = rule
    const files = this.#received.get(name) ?? []
    if (files.length === count) {
      const key = count === 1 ? 'propylon.file.one' : 'propylon.file.count'
      if (!this.issues.some(({ path }) => path?.[0] === name)) this.#refuse(name, key, { count })
      return
    }
    const path = builtin('node:path').join(this.#directory, crypto.randomUUID())
    const { size, head } = await write(part, path, maxSize)
    if (size > maxSize) return this.#refuse(name, 'propylon.file.size', { size: maxSize })
    const contentType = await typeOf(part.contentType, head, types)
    if (types !== undefined && !types.some((type) => covers(type, contentType))) {
      return this.#refuse(name, 'propylon.file.type', { types })
    }
    files.push(new UploadedFile(part.filename ?? '', contentType, size, path))
    this.#received.set(name, files)
  }

  #refuse(name: string, key: TextKey, values: TextValues): void {
    this.issues.push(textIssue(key, values, [name]))
  }
}

/** Writes a part to a file, up to a size. Reads on to its end in any case. */
async function write(
  { stream }: Part,
  path: string,
  maxSize: number,
): Promise<{ readonly size: number; readonly head: Uint8Array }> {
  const file = await builtin('node:fs').promises.open(path, 'wx', 0o600)
  const first: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of stream) {
      if (size < SIGNATURE_LENGTH) first.push(chunk.slice(0, SIGNATURE_LENGTH - size))
      size += chunk.length
      if (size <= maxSize) for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
    }
  } finally {
    await file.close()
  }
  return { size, head: concatBytes(first) }
}

/**
 * Returns the type of a file: the one that its first bytes show, or the declared one if files of that type have no
 * signature.
 */
async function typeOf(declared: string, head: Uint8Array, types: readonly string[] | undefined): Promise<string> {
  const [essence = ''] = declared.split(';', 1)
  const claimed = essence.trim().toLowerCase()
  if (types === undefined) return claimed
  const { fileTypeFromBuffer, supportedMimeTypes } = optionalPackage('file-type', 'body() with types of files')
  const found = await fileTypeFromBuffer(head)
  if (found !== undefined) return CONTAINERS.get(found.mime)?.test(claimed) === true ? claimed : found.mime
  const hasSignature: boolean = [...supportedMimeTypes].some((type) => type === claimed)
  return hasSignature ? UNKNOWN : claimed
}

/**
 * Types of files that begin as another type: `<?xml` begins an SVG, and a compound file is a Word document before
 * 2007.
 */
const CONTAINERS: ReadonlyMap<string, RegExp> = new Map([
  ['application/xml', /^text\/xml$|\+xml$/],
  ['application/x-cfb', /^application\/(?:msword|vnd\.(?:ms-|visio)[\w.-]*)$/],
])

const UNKNOWN = 'application/octet-stream'

/** Returns true if an accepted type, such as `image/*`, covers a media type. */
function covers(accepted: string, type: string): boolean {
  const wanted = accepted.toLowerCase()
  return wanted === type || (wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1)))
}
