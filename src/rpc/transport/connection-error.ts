/** A call got no HTTP response. `cause` is the error of the connection. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** The body of a response is longer than the limit. */
export class ResponseLengthError extends Error {
  override readonly name = 'ResponseLengthError'
}
