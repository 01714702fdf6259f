// The words of an error as Azure's clients know them: a sentence they may recognise, then what support would ask for.

import type { ServiceBusError } from '../broker/service-bus-error.js';

export type Tracking = {
  /** The name by which the client called us. */
  readonly host: string;
  /** 32 hexadecimal digits. */
  readonly trackingId: string;
  /** ISO 8601, to the second, without a zone. */
  readonly timestamp: string;
  /** A topic was asked for, which its name alone does not show. */
  readonly isTopic?: boolean | undefined;
};

const SUBSCRIPTION_PATH = /^(.+?)\/subscriptions\/(.+)$/i;
/** Characters of a sentence, and of a name within it: either may hold what a client sent us, of any length. */
const MAX_SENTENCE_LENGTH = 2000;
const MAX_NAME_LENGTH = 500;

/** `askedPath` is the entity that was asked, for an error that names none. */
export function wordError(error: ServiceBusError, tracking: Tracking, askedPath?: string): string {
  return trackedText(sentence(error, tracking.host), tracking, error.entityPath ?? askedPath);
}

/** SND-04, ERR-02 */
export function trackedText(text: string, tracking: Tracking, entityPath?: string): string {
  const { host, trackingId, timestamp, isTopic } = tracking;
  const namespace = cut(host.split('.')[0] ?? host, MAX_NAME_LENGTH);
  const tracker =
    entityPath === undefined
      ? namespace
      : `${namespace}:${tracked(cut(entityPath, MAX_NAME_LENGTH), isTopic)}`;
  const told = cut(text, MAX_SENTENCE_LENGTH);
  return `${told} TrackingId:${dashed(trackingId)}, SystemTracker:${tracker}, Timestamp:${timestamp}`;
}

/** As in Azure's errors: `Queue:orders`, `Topic:orders|billing`. */
function tracked(entityPath: string, isTopic = false): string {
  const [, topicName, subscriptionName] = SUBSCRIPTION_PATH.exec(entityPath) ?? [];
  if (subscriptionName !== undefined) return `Topic:${topicName}|${subscriptionName}`;
  return `${isTopic ? 'Topic' : 'Queue'}:${entityPath}`;
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
