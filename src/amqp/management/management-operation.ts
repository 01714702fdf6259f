// The shape of one management operation: what it asks of the broker, and how the answer looks on the wire.

import type { SingleCommand } from '../../broker/command.js';
import type { FoundMessage, Result } from '../../broker/result.js';
import { conditionOf } from '../error-condition.js';
import type { Response } from '../request-message.js';
import type { ManagementRequest } from './request-fields.js';

/** A message with its content read. */
export type ReadMessage = FoundMessage & { readonly content: Uint8Array };

/** A result of the broker that names contents, with the contents themselves. */
export type ReadAnswer =
  | { readonly kind: 'messages'; readonly messages: readonly ReadMessage[] }
  | { readonly kind: 'session-state'; readonly state: Uint8Array | undefined };

/** What an operation answers from: each result that is no failure, its contents read. */
export type Answer = Exclude<Result, { kind: 'failed' | ReadAnswer['kind'] }> | ReadAnswer;

export type Question = {
  readonly command: SingleCommand;
  /** To throw nothing: what was asked for is done. */
  response(answer: Answer): Response;
};

/** Throws ServiceBusError when the request is not what the operation takes. */
export type ManagementOperation = (request: ManagementRequest) => Question;

export const OK = { status: 200, description: 'OK' } as const;
/** PEEK-02: a success, to which the service adds a condition all the same. */
export const NOTHING_FOUND: Response = {
  status: 204,
  description: 'No Content',
  condition: conditionOf('message-not-found'),
};
