/** Schemas of the JSON that programs receive. */
import * as v from 'valibot'

const text = v.string()
const number = v.number()
const change = { version: number, modified: text, author: text, link: text }

/** A page, or one of its versions. */
export const PageResult = v.object({
  title: text,
  version: number,
  content: text,
  html: text,
  modified: text,
  author: text,
  link: text,
})

/** A part of a list of pages. */
export const PageListResult = v.object({
  pages: v.array(v.object({ title: text, ...change })),
  total: number,
})

/** The versions of a page. */
export const VersionsResult = v.object({ versions: v.array(v.object(change)) })

/** An attached file. */
export const FileResult = v.object({ name: text, size: number, type: text, link: text })

/** The users. */
export const UsersResult = v.object({ users: v.array(v.object({ name: text, role: text })) })
