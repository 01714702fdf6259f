// The one table from the broker's reasons to AMQP conditions and management status codes (semantics B.25), and the wording around them.

import type { ErrorReason, ServiceBusError } from '../broker/service-bus-error.js';
import type { AmqpError } from '../codec/performatives.js';

type Wire = { readonly condition: string; readonly status: number };

const WIRE: Readonly<Record<ErrorReason, Wire>> = {
  'entity-not-found': { condition: 'amqp:not-found', status: 404 },
  'entity-disabled': { condition: 'com.microsoft:entity-disabled', status: 400 },
  'message-lock-lost': { condition: 'com.microsoft:message-lock-lost', status: 410 },
  'session-lock-lost': { condition: 'com.microsoft:session-lock-lost', status: 410 },
  'message-not-found': { condition: 'com.microsoft:message-not-found', status: 404 },
  'message-size-exceeded': { condition: 'amqp:link:message-size-exceeded', status: 403 },
  'quota-exceeded': { condition: 'amqp:resource-limit-exceeded', status: 403 },
  'not-allowed': { condition: 'amqp:not-allowed', status: 400 },
  'not-implemented': { condition: 'amqp:not-implemented', status: 501 },
  argument: { condition: 'com.microsoft:argument-error', status: 400 },
  'argument-out-of-range': { condition: 'com.microsoft:argument-out-of-range', status: 400 },
  internal: { condition: 'amqp:internal-error', status: 500 },
};

/** The only kind of entity there is. */
const ENTITY_TYPE = 'Queue';

/** What an error text says beyond the broker's words. */
export type ErrorContext = {
  /** The name by which the client called us, from its open. */
  readonly host: string;
  readonly nextGuid: () => string;
};

export function statusOf(error: ServiceBusError): number {
  return WIRE[error.reason].status; // ERR-01
}

export function conditionOf(reason: ErrorReason): string {
  return WIRE[reason].condition; // ERR-01
}

export function amqpErrorOf(error: ServiceBusError, context: ErrorContext): AmqpError {
  return { condition: conditionOf(error.reason), description: describe(error, context) };
}

/** Azure's wording: the sentence, then what support would ask for. */
function describe(error: ServiceBusError, { host, nextGuid }: ErrorContext): string {
  const namespace = host.split('.')[0] ?? host;
  const tracker =
    error.entityPath === undefined ? namespace : `${namespace}:${ENTITY_TYPE}:${error.entityPath}`;
  const time = new Date().toISOString().slice(0, -5);
  // SND-04, ERR-02
  return `${sentence(error, host)} TrackingId:${dashed(nextGuid())}, SystemTracker:${tracker}, Timestamp:${time}`;
}

/** ERR-04: the JavaScript SDK recognises a missing entity by this sentence, with the address in it. */
function sentence(error: ServiceBusError, host: string): string {
  return error.reason === 'entity-not-found' && error.entityPath !== undefined
    ? `The messaging entity 'sb://${host}/${error.entityPath}' could not be found.`
    : error.message;
}

function dashed(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
