import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { UploadedFile } from 'propylon'
import { body } from 'propylon/converters'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'

const PHOTOS = new URL('../var/photos/', import.meta.url)
const Photo = v.object({ title: v.string(), photo: v.instance(UploadedFile, 'is missing') })
const sent = body(Photo, { files: { photo: { maxSize: 100_000 } } })

/** Keeps photos. */
export class PhotosController extends BaseController {
  static args = { create: { sent } }
  static statuses = { create: 200 }

  /** POST /photos */
  async create(sent: v.InferOutput<typeof Photo>) {
    const { title, photo } = sent
    const { size } = photo
    await mkdir(PHOTOS, { recursive: true })
    await photo.saveTo(new URL(randomUUID(), PHOTOS))
    return { title, size }
  }
}
