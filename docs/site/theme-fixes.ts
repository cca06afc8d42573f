/** Corrections of the theme's components, for people who read with the ears or the keyboard. */

/** By the name of a component: what its template has, and what replaces it. */
const FIXES: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  // Without a landmark, screen readers cannot skip to the text.
  VPHome: [['class="VPHome"', 'class="VPHome" role="main"']],
  NotFound: [['class="NotFound"', 'class="NotFound" role="main"']],
  // The footer of the site follows it, and a page may have one only.
  VPDocFooter: [
    ['<footer v-if="showFooter"', '<section v-if="showFooter" aria-label="This page"'],
    ['</footer>', '</section>'],
  ],
  // A group without a page is a button itself and may not contain another.
  VPSidebarItem: [
    ['class="caret"\n        role="button"', 'class="caret"\n        :role="item.link && \'button\'"'],
    [
      '@keydown.enter="onCaretClick"\n        tabindex="0"',
      '@keydown.enter="onCaretClick"\n        :tabindex="item.link && 0"',
    ],
  ],
}

/** A plugin of Vite that makes the corrections. It throws if a component has changed, so that none is lost. */
export const themeFixes = {
  name: 'theme fixes',
  enforce: 'pre' as const,
  transform(code: string, id: string): string | undefined {
    const name = /\/theme-default\/(?:components\/)?(\w+)\.vue$/.exec(id)?.[1] ?? ''
    return FIXES[name]?.reduce((text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`${name}.vue of VitePress does not contain ${from}`)
      return text.replace(from, to)
    }, code)
  },
}
