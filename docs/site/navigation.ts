/** The navigation: groups of pages, in the order in which they are read. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Page, ROOT } from './pages.ts'

/** A group of pages. */
export interface Group {
  readonly title: string
  /** Title of the area. The sidebar of a page has the groups of its area, and a link to each other area. */
  readonly area: string
  readonly pages: readonly Page[]
  /** The pages by subject, if the group has subjects. */
  readonly subjects?: readonly Subject[]
}

/** A subject within a group. */
export interface Subject {
  readonly title: string
  readonly pages: readonly Page[]
}

/** The groups by the first folder of their pages. Pages of other folders are topics. */
const GROUPS: readonly (readonly [prefix: RegExp, title: string])[] = [
  [/^guides\/coming-from\//, 'Coming from'],
  [/^guides\//, 'Guides'],
  [/^recipes\//, 'Recipes'],
  [/^examples/, 'Examples'],
  [/^reference\//, 'Reference'],
  [/^api\//, 'API'],
  [/^decisions\//, 'Decisions'],
  [/^(?:project|contributing)\/|^dependencies$/, 'Project'],
]

/** Groups that are areas of their own. The others belong to the guides. */
const AREAS: readonly string[] = ['Reference', 'API', 'Decisions', 'Project']

/** The order in which the groups are shown. */
const ORDER = ['Guides', 'Coming from', 'Recipes', 'Examples', 'Topics', 'Reference', 'API', 'Decisions', 'Project']

/** Returns the groups without the home page: guides and reference by subject, the others by their titles. */
export function navigation(pages: readonly Page[]): Group[] {
  const titled = Map.groupBy(
    pages.filter(({ route }) => route !== 'index'),
    ({ route }) => GROUPS.find(([prefix]) => prefix.test(route))?.[1] ?? 'Topics',
  )
  return ORDER.flatMap((title) => {
    const group = titled.get(title) ?? []
    if (group.length === 0) return []
    const area = AREAS.includes(title) ? title : 'Guides'
    if (title === 'Guides' || title === 'Reference') {
      const subjects = subjectsOf(title.toLowerCase(), group)
      return [{ title, area, pages: subjects.flatMap(({ pages }) => pages), subjects }]
    }
    const sorted = ['API', 'Project'].includes(title) ? group : group.toSorted((a, b) => compare(title, a, b))
    return [{ title, area, pages: sorted }]
  })
}

/** Returns the pages of a folder by subject, in the order of its `order.json`. Others follow without a subject. */
function subjectsOf(folder: string, pages: readonly Page[]): Subject[] {
  const order: readonly { readonly title: string; readonly pages: readonly string[] }[] = JSON.parse(
    readFileSync(join(ROOT, `docs/${folder}/order.json`), 'utf8'),
  )
  const subjects = order.map(({ title, pages: names }) => ({
    title,
    pages: names.flatMap(
      (name) => pages.find(({ route }) => route === `${folder}/${name === 'README' ? 'index' : name}`) ?? [],
    ),
  }))
  const listed = new Set(subjects.flatMap((subject) => subject.pages))
  const rest = { title: 'Others', pages: pages.filter((page) => !listed.has(page)) }
  return [...subjects, rest].filter((subject) => subject.pages.length > 0)
}

/** Compares titles, and routes of decisions, which begin with numbers. The index of a folder is first. */
function compare(title: string, a: Page, b: Page): number {
  const indexes = Number(b.route.endsWith('/index')) - Number(a.route.endsWith('/index'))
  if (indexes !== 0) return indexes
  if (title === 'Decisions') return a.route < b.route ? -1 : 1
  return a.title.localeCompare(b.title, 'en')
}
