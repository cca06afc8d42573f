// The hooks of the WebSockets, which all servers use.

/** @type {import('../../src/index.ts').SocketHooks} */
export const hooks = {
  open(peer) {
    peer.subscribe('all')
  },
  message(peer, message) {
    const text = message.text()
    if (text.startsWith('{"to":"all"')) peer.publish('all', text)
    else peer.send(text)
  },
}
