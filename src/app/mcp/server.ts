/** The interface between the protocol and what it serves: the actions of an application, or the methods of a service. */
import type { Responder } from '../../controllers/responder.ts'
import type { Batch } from '../../http/jsonrpc/batch.ts'
import type { JSONRPCError } from '../../http/jsonrpc/error.ts'
import type { Response } from '../../http/response.ts'
import type { Environ } from '../../wsgi/types.ts'
import type { Envelope } from './envelope.ts'
import type { ClientRequest } from './message.ts'

/** A request of a client, with its version and its wishes. */
export interface MCPCall extends ClientRequest, Envelope {
  /** The batch that it is part of, which can contain neither an HTTP response nor a stream. */
  readonly batch: Batch | undefined
}

/** The time for which a client may keep a result, and the clients that may share it (server utilities, "Caching"). */
export interface CacheHint {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

/** A notification about a call that is in progress. */
export interface Notification {
  readonly method: string
  readonly params: object
}

/** The end of a request. */
export type MCPAnswer =
  /** JSON text of an object. */
  | { readonly kind: 'result'; readonly json: string; readonly cache?: CacheHint }
  | { readonly kind: 'error'; readonly error: Pick<JSONRPCError, 'code' | 'message' | 'data'> }
  /** An HTTP response in place of a message. */
  | { readonly kind: 'http'; readonly responder: Responder }
  | { readonly kind: 'stream'; readonly messages: AsyncGenerator<Notification, MCPAnswer> }

/** The name of a server, and what it has. */
export interface ServerDescription {
  readonly name: string
  readonly title?: string
  readonly version: string
  /** For the language model. */
  readonly instructions?: string
  readonly capabilities: Readonly<Record<string, object>>
  readonly cache: CacheHint
}

/** A server as one HTTP request reaches it. */
export interface MCPServer {
  readonly app: { trustsHost(environ: Environ): boolean }
  readonly environ: Environ
  /** Receives the answer, unless that is a stream or an HTTP response in place of a message. */
  readonly response: Response
  /** Maximum number of messages in a batch. */
  readonly batchLimit: number
  body(): Promise<Uint8Array>
  describe(): ServerDescription | Promise<ServerDescription>
  /**
   * Answers a request, of any method.
   *
   * @throws JSONRPCError, as a rejection - the error to send.
   */
  handle(call: MCPCall): Promise<MCPAnswer>
  /** Sends {@link response}, or a stream, with the header fields of the server. */
  respond(response: Response): Responder
  /** Answers the messages of a batch, one after the other. */
  batch<Answer>(
    messages: readonly unknown[],
    answer: (message: unknown, batch: Batch) => Promise<Answer>,
  ): Promise<Answer[]>
}
