let isPending = false

/** Keeps SIGHUP, whose default action ends the process, from doing harm before a server listens. */
export function holdHangups(): void {
  process.on('SIGHUP', () => {
    isPending = true
  })
}

/** Repeats a SIGHUP that came before the server listened, for the listeners that have been added since. */
export function repeatHangup(): void {
  if (isPending) process.emit('SIGHUP')
}
