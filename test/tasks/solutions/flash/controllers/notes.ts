import { done } from 'propylon'
import { body } from 'propylon/converters'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'

const Note = v.object({ text: v.pipe(v.string(), v.trim(), v.minLength(1, 'Please enter a text')) })

/** Takes notes. */
export class NotesController extends BaseController {
  static args = { create: { note: body(Note, { form: 'index' }) } }
  static pages = { index: 'notes/index' }

  /** GET /notes */
  index() {
    return {}
  }

  /** POST /notes */
  create(note: v.InferOutput<typeof Note>) {
    this.session.flash('saved', `Saved: ${note.text}`)
    return done(this.url('notes'))
  }
}
