// The shape of a management operation: which command it gives to the broker, and how it writes the answer.

import type { SingleCommand } from '../../broker/contract/command.js';
import type { FoundMessage, Result } from '../../broker/contract/result.js';
import type { AmqpValue } from '../../codec/types.js';
import { conditionOf } from '../error-condition.js';
import type { Response } from './request-message.js';

export type ManagementRequest = {
  readonly entityPath: string;
  /** The connection that the request came on. Its links hold the sessions that the request may name. */
  readonly connectionId: number;
  readonly body: AmqpValue | undefined;
  /** The body as the client encoded it, for values that are stored as they are. */
  readonly encodedBody: Uint8Array | undefined;
};

/** A message with its content. */
export type ReadMessage = FoundMessage & { readonly content: Uint8Array };

/** A result of the broker that refers to contents, with these contents. */
export type ReadAnswer =
  | { readonly kind: 'messages'; readonly messages: readonly ReadMessage[] }
  | { readonly kind: 'session-state'; readonly state: Uint8Array | undefined };

/** The result of a successful command, with its contents. */
export type Answer = Exclude<Result, { kind: 'failed' | ReadAnswer['kind'] }> | ReadAnswer;

export type PreparedOperation = {
  readonly command: SingleCommand;
  /** Must not throw: the command has been carried out. */
  response(answer: Answer): Response;
};

/** Makes a command from a request. Throws ServiceBusError for an invalid request. */
export type ManagementOperation = (request: ManagementRequest) => PreparedOperation;

export const OK = { status: 200, description: 'OK' } as const;
/** PEEK-02: a success, although the service adds a condition. */
export const NOTHING_FOUND: Response = {
  status: 204,
  description: 'No Content',
  condition: conditionOf('message-not-found'),
};
