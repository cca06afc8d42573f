/** The style of built-in pages, in light and dark. Pages that add rules of their own begin with it. */
export const PAGE_STYLE = `:root{color-scheme:light dark;--line:#d0d7de;--soft:#f6f8fa;--dim:#59636e;--link:#0969da}
@media (prefers-color-scheme:dark){:root{--line:#3d444d;--soft:#161b22;--dim:#9198a1;--link:#4493f8}}
body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:42rem;padding:3rem 1.25rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}a{color:var(--link)}`
