import { created } from 'propylon'
import { body } from 'propylon/converters'
import * as v from 'valibot'
import { database } from '../config/database.ts'
import { BaseController } from '../lib/base.ts'

const NewNote = v.object({ text: v.pipe(v.string(), v.minLength(1)) })
const Note = v.object({ id: v.number(), text: v.string() })

/** Keeps notes. */
export class NotesController extends BaseController {
  static args = { create: { note: body(NewNote) } }
  static results = { index: v.array(Note), create: null }

  /** GET /notes */
  index() {
    return database.selectFrom('notes').selectAll().orderBy('id').execute()
  }

  /** POST /notes */
  async create(note: v.InferOutput<typeof NewNote>) {
    await database.insertInto('notes').values(note).execute()
    return created(this.url('notes'))
  }
}
