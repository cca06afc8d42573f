/** The script in open pages, and where the server answers it. */

/** The path of the script; the request is never the application's. */
export const SCRIPT_PATH = '/__propylon__/live.js'

/** The path of the server-sent events. */
export const EVENTS_PATH = '/__propylon__/events'

/**
 * Knows by its own address the state that the page was made in, and reloads the page when the server tells of another. A
 * window that is not seen holds no connection: browsers allow few to a host.
 */
export const SCRIPT = `(() => {
  const own = new URL(document.currentScript.src)
  const seen = own.searchParams.get('seen')
  let events
  const follow = () => {
    events?.close()
    if (document.hidden) return
    events = new EventSource(new URL('events', own))
    events.onmessage = ({ data }) => {
      if (data === seen) return
      events.close()
      location.reload()
    }
  }
  document.addEventListener('visibilitychange', follow)
  follow()
})()
`
