// Enhancements. Every page works without them.

const note = document.querySelector('[data-events]')
if (note) {
  // Says that the open page has changed.
  const { events, title, version } = note.dataset
  new EventSource(events).addEventListener('page', ({ data }) => {
    const change = JSON.parse(data)
    if (change.title !== title || change.version <= Number(version)) return
    const link = document.createElement('a')
    link.href = location.pathname
    link.textContent = `Show version ${change.version}`
    note.hidden = false
    note.replaceChildren(`${change.author} has changed this page. `, link)
  })
}

const results = document.querySelector('#results')
const field = document.querySelector('.search input')
if (results && field) {
  // Searches while you type.
  let waiting
  let request = new AbortController()
  field.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(search, 200)
  })
  async function search() {
    request.abort()
    request = new AbortController()
    const url = `${field.form.action}?${new URLSearchParams({ q: field.value })}`
    try {
      const response = await fetch(url, { headers: { 'HX-Request': 'true' }, signal: request.signal })
      if (!response.ok) return
      results.innerHTML = await response.text()
      history.replaceState(null, '', url)
    } catch (error) {
      if (error.name !== 'AbortError') throw error
    }
  }
}
