/** The sidebars: one for each area, because each link costs the browser time when a page loads. */
import type { Group } from './navigation.ts'
import type { Page } from './pages.ts'

/** A page, or a group of pages or of subjects, as VitePress takes it. */
export interface SidebarItem {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: SidebarItem[]
}

/**
 * Returns the sidebars by the beginnings of the paths at which they are shown, the guides' at all other paths. A long
 * entry of the API has a sidebar of its own.
 */
export function sidebars(groups: readonly Group[]): Record<string, SidebarItem[]> {
  const areas = Map.groupBy(groups, ({ area }) => area)
  const entrances = [...areas].map(([text, [first]]) => ({ text, link: linkOf(first?.pages[0]) }))
  const entries = [...areas].flatMap(([area, members]) => {
    const others = { text: 'More', items: entrances.filter(({ text }) => text !== area) }
    const sidebar = [...members.map(itemOf), others]
    const routes = members.flatMap(({ pages }) => pages.map(({ route }) => route))
    const starts = area === 'Guides' ? ['/'] : routes.map((route) => `/${route.replace(/\/.*/, '/')}`)
    const parts =
      area === 'API'
        ? entriesWithParts(
            members.flatMap(({ pages }) => pages),
            others,
          )
        : []
    return [...parts, ...[...new Set(starts)].map((start): [string, SidebarItem[]] => [start, sidebar])]
  })
  // The first one that fits counts, so the root comes last.
  return Object.fromEntries(entries.toSorted(([a], [b]) => b.length - a.length))
}

/** Returns the sidebars of the entries whose names have pages of their own. */
function entriesWithParts(pages: readonly Page[], others: SidebarItem): [string, SidebarItem[]][] {
  return pages.filter(isEntry).flatMap((entry): [string, SidebarItem[]][] => {
    const start = `${entry.route}/`
    const parts = pages.filter(({ route }) => route.startsWith(start))
    const group = { text: entry.title, link: linkOf(entry), items: pageItems(parts) }
    return parts.length === 0 ? [] : [[`/${start}`, [group, others]]]
  })
}

/** Returns false for a page of a class or a kind, which belongs to an entry of the API. */
function isEntry({ route }: Page): boolean {
  return !/^api\/.*\//.test(route)
}

function itemOf({ title, pages, subjects }: Group): SidebarItem {
  const items = subjects?.map((subject) => ({
    text: subject.title,
    collapsed: title !== 'Guides',
    items: pageItems(subject.pages),
  }))
  return { text: title, items: items ?? pageItems(title === 'API' ? pages.filter(isEntry) : pages) }
}

function pageItems(pages: readonly Page[]): SidebarItem[] {
  return pages.map((page) => ({ text: page.title, link: linkOf(page) }))
}

function linkOf(page: Page | undefined): string {
  return `/${page?.route.replace(/\/index$/, '/') ?? ''}`
}
