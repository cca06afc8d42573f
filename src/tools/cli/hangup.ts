let isPending = false

/** Records SIGHUP until a server listens. The default action of the signal would end the process. */
export function holdHangups(): void {
  process.on('SIGHUP', () => {
    isPending = true
  })
}

/** Emits a recorded SIGHUP again, for the listeners that were added since. */
export function repeatHangup(): void {
  if (isPending) process.emit('SIGHUP')
}
