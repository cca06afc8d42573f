/** The option `mcp` of `FrameworkApp`. */

/** Options of the server for the Model Context Protocol. */
export interface MCPOptions {
  /** Path of the server. Default `/mcp`. */
  readonly path?: string
  /** Name of the server, for clients. Default `propylon`. */
  readonly name?: string
  /** Version of the server, for clients. Default `1.0.0`. */
  readonly version?: string
  /** Text for language models: what the tools are for. Default: none. */
  readonly instructions?: string
  /**
   * URLs of the authorization servers whose tokens the application accepts. Serves protected resource metadata (RFC 9728), which
   * responses with status 401 name. Default: none.
   */
  readonly authorizationServers?: readonly string[]
}
