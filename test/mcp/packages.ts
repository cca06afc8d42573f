/** The conformance suite and clients of the Model Context Protocol, and an authorization server. */
import { pathToFileURL } from 'node:url'
import { requireOf } from '../packages/packages.ts'

const require = requireOf('mcp')

/** Imports one of the packages. */
export async function imported(name: string): Promise<Readonly<Record<string, unknown>>> {
  return import(pathToFileURL(require.resolve(name)).href)
}

/** A client of `@modelcontextprotocol/client`. */
export interface Client {
  connect(transport: object): Promise<void>
  close(): Promise<void>
  getServerVersion(): { readonly name: string } | undefined
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>
  callTool(
    params: object,
    options?: object,
  ): Promise<{
    readonly content: readonly Readonly<Record<string, unknown>>[]
    readonly structuredContent?: unknown
    readonly isError?: boolean
  }>
  readResource(params: object): Promise<{ readonly contents: readonly object[] }>
  getPrompt(params: object): Promise<{ readonly messages: readonly object[] }>
}

type Constructor<T> = new (...args: unknown[]) => T

/** The part of `@modelcontextprotocol/client` that the tests use. */
export interface ClientPackage {
  readonly Client: Constructor<Client>
  readonly StreamableHTTPClientTransport: Constructor<{
    finishAuth(code: string | URLSearchParams): Promise<void>
  }>
}

/** Imports `@modelcontextprotocol/client`. */
export async function clientPackage(): Promise<ClientPackage> {
  return (await imported('@modelcontextprotocol/client')) as unknown as ClientPackage
}
