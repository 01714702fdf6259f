// The one table from the broker's error reasons to AMQP conditions and management status codes, with the wording.

import type { ErrorReason, ServiceBusError } from '../broker/contract/service-bus-error.js';
import type { AmqpError } from '../codec/performatives.js';
import { type Tracking, trackedText, wordError } from '../wording/error-wording.js';

type Wire = { readonly condition: string; readonly status: number };

/** The condition for a client that lacks a right. */
export const UNAUTHORIZED = 'amqp:unauthorized-access';

const WIRE: Readonly<Record<ErrorReason, Wire>> = {
  'entity-not-found': { condition: 'amqp:not-found', status: 404 },
  'entity-already-exists': { condition: 'com.microsoft:entity-already-exists', status: 409 },
  'entity-disabled': { condition: 'com.microsoft:entity-disabled', status: 400 },
  'message-lock-lost': { condition: 'com.microsoft:message-lock-lost', status: 410 },
  'session-lock-lost': { condition: 'com.microsoft:session-lock-lost', status: 410 },
  'session-cannot-be-locked': { condition: 'com.microsoft:session-cannot-be-locked', status: 410 },
  timeout: { condition: 'com.microsoft:timeout', status: 408 },
  'server-busy': { condition: 'com.microsoft:server-busy', status: 503 },
  'message-not-found': { condition: 'com.microsoft:message-not-found', status: 404 },
  'message-size-exceeded': { condition: 'amqp:link:message-size-exceeded', status: 403 },
  // MSG-08: as the service says it, so SDKs try again.
  'property-size-exceeded': { condition: 'amqp:internal-error', status: 500 },
  'quota-exceeded': { condition: 'amqp:resource-limit-exceeded', status: 403 },
  'not-allowed': { condition: 'amqp:not-allowed', status: 400 },
  'not-implemented': { condition: 'amqp:not-implemented', status: 501 },
  'transaction-unknown': { condition: 'amqp:transaction:unknown-id', status: 400 },
  'transaction-timeout': { condition: 'amqp:transaction:timeout', status: 400 },
  'transaction-rolled-back': { condition: 'amqp:transaction:rollback', status: 400 },
  unauthorized: { condition: UNAUTHORIZED, status: 401 },
  'invalid-field': { condition: 'amqp:invalid-field', status: 400 },
  argument: { condition: 'com.microsoft:argument-error', status: 400 },
  'argument-out-of-range': { condition: 'com.microsoft:argument-out-of-range', status: 400 },
  internal: { condition: 'amqp:internal-error', status: 500 },
};

/** The parts of an error text that only the front end knows. */
export type ErrorContext = {
  /** The emulator's host name, from the client's open. */
  readonly host: string;
  readonly nextGuid: () => string;
};

/** An error that answers a request. */
export type Failure = Wire & { readonly description: string };

/** JMS-85: JMS libraries expect it of a selector. */
const INVALID_SELECTOR: Wire = { condition: 'amqp:invalid-field', status: 400 };

export function conditionOf(reason: ErrorReason): string {
  return WIRE[reason].condition; // ERR-01
}

export function amqpErrorOf(error: ServiceBusError, context: ErrorContext): AmqpError {
  const { condition, description } = failureOf(error, context);
  return { condition, description };
}

/** `requestPath` is the entity of the request, for an error that names none. `hint` follows Azure's sentence. */
export function failureOf(
  error: ServiceBusError,
  context: ErrorContext,
  requestPath?: string,
  hint?: string,
): Failure {
  const isSelector = error.reason === 'argument' && error.data.property === 'selector';
  const { condition, status } = isSelector ? INVALID_SELECTOR : WIRE[error.reason]; // ERR-01
  return { condition, status, description: wordError(error, trackingOf(context), requestPath, hint) };
}

/** Azure's wording: the sentence, then the tracking id, the entity and the time, for which Azure's support would ask. */
export function describe(text: string, context: ErrorContext, entityPath?: string): string {
  return trackedText(text, trackingOf(context), entityPath); // SND-04
}

function trackingOf({ host, nextGuid }: ErrorContext): Tracking {
  return { host, trackingId: nextGuid(), timestamp: new Date().toISOString().slice(0, -5) };
}
