// The one table from the broker's reasons to AMQP conditions and management status codes (semantics B.25), and the wording around them.

import type { ErrorReason, ServiceBusError } from '../broker/service-bus-error.js';
import type { AmqpError } from '../codec/performatives.js';

type Wire = { readonly condition: string; readonly status: number };

const WIRE: Readonly<Record<ErrorReason, Wire>> = {
  'entity-not-found': { condition: 'amqp:not-found', status: 404 },
  'entity-already-exists': { condition: 'com.microsoft:entity-already-exists', status: 409 },
  'entity-disabled': { condition: 'com.microsoft:entity-disabled', status: 400 },
  'message-lock-lost': { condition: 'com.microsoft:message-lock-lost', status: 410 },
  'session-lock-lost': { condition: 'com.microsoft:session-lock-lost', status: 410 },
  'session-cannot-be-locked': { condition: 'com.microsoft:session-cannot-be-locked', status: 410 },
  timeout: { condition: 'com.microsoft:timeout', status: 408 },
  'message-not-found': { condition: 'com.microsoft:message-not-found', status: 404 },
  'message-size-exceeded': { condition: 'amqp:link:message-size-exceeded', status: 403 },
  'quota-exceeded': { condition: 'amqp:resource-limit-exceeded', status: 403 },
  'not-allowed': { condition: 'amqp:not-allowed', status: 400 },
  'not-implemented': { condition: 'amqp:not-implemented', status: 501 },
  argument: { condition: 'com.microsoft:argument-error', status: 400 },
  'argument-out-of-range': { condition: 'com.microsoft:argument-out-of-range', status: 400 },
  internal: { condition: 'amqp:internal-error', status: 500 },
};

/** Of a topic's name alone nobody sees that it is no queue. */
const SUBSCRIPTION_PATH = /^(.+?)\/subscriptions\/(.+)$/i;
/** Characters of a sentence, and of a name within it: either may hold what a client sent us, of any length. */
const MAX_SENTENCE_LENGTH = 2000;
const MAX_NAME_LENGTH = 500;

/** What an error text says beyond the broker's words. */
export type ErrorContext = {
  /** The name by which the client called us, from its open. */
  readonly host: string;
  readonly nextGuid: () => string;
};

/** An error as the answer to a request. */
export type Failure = Wire & { readonly description: string };

export function conditionOf(reason: ErrorReason): string {
  return WIRE[reason].condition; // ERR-01
}

export function amqpErrorOf(error: ServiceBusError, context: ErrorContext): AmqpError {
  const { condition, description } = failureOf(error, context);
  return { condition, description };
}

/** `askedPath` is the entity that was asked, for an error that names none. */
export function failureOf(error: ServiceBusError, context: ErrorContext, askedPath?: string): Failure {
  const { reason, entityPath = askedPath } = error;
  const { condition, status } = WIRE[reason]; // ERR-01
  return { condition, status, description: describe(sentence(error, context.host), context, entityPath) };
}

/** Azure's wording: the sentence, then what support would ask for. */
export function describe(text: string, { host, nextGuid }: ErrorContext, entityPath?: string): string {
  const namespace = cut(host.split('.')[0] ?? host, MAX_NAME_LENGTH);
  const tracker =
    entityPath === undefined ? namespace : `${namespace}:${tracked(cut(entityPath, MAX_NAME_LENGTH))}`;
  const time = new Date().toISOString().slice(0, -5);
  const told = cut(text, MAX_SENTENCE_LENGTH);
  // SND-04, ERR-02
  return `${told} TrackingId:${dashed(nextGuid())}, SystemTracker:${tracker}, Timestamp:${time}`;
}

/** As in Azure's errors: `Queue:orders`, `Topic:orders|billing`. */
function tracked(entityPath: string): string {
  const [, topicName, subscriptionName] = SUBSCRIPTION_PATH.exec(entityPath) ?? [];
  return subscriptionName === undefined ? `Queue:${entityPath}` : `Topic:${topicName}|${subscriptionName}`;
}

/** ERR-04: the JavaScript SDK recognises a missing entity by this sentence, with the address in it. */
function sentence({ reason, entityPath, message }: ServiceBusError, host: string): string {
  if (reason !== 'entity-not-found' || entityPath === undefined) return message;
  const address = `sb://${cut(host, MAX_NAME_LENGTH)}/${cut(entityPath, MAX_NAME_LENGTH)}`;
  return `The messaging entity '${address}' could not be found.`;
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

function dashed(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
