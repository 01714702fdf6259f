// Writes the text of an error as Azure does: a sentence that clients may recognise, then the tracking data for support.

import type { ServiceBusError } from '../broker/contract/service-bus-error.js';

export type Tracking = {
  /** The host name to which the client connected. */
  readonly host: string;
  /** 32 hexadecimal digits. */
  readonly trackingId: string;
  /** ISO 8601, to the second, without a time zone. */
  readonly timestamp: string;
  /** Whether the entity is a topic, which its path alone does not show. */
  readonly isTopic?: boolean | undefined;
};

const UNABLE = 'The service was unable to process the request; please retry the operation.';
const SUBSCRIPTION_PATH = /^(.+?)\/subscriptions\/(.+)$/i;
/** The most characters of a sentence, and of a name in it. Both may contain text of any length from a client. */
const MAX_SENTENCE_LENGTH = 2000;
const MAX_NAME_LENGTH = 500;

/** `requestPath` is the entity of the request, for an error that names no entity. `hint` follows Azure's sentence, with a leading space. */
export function wordError(
  error: ServiceBusError,
  tracking: Tracking,
  requestPath?: string,
  hint = '',
): string {
  return trackedText(sentenceOf(error, tracking.host) + hint, tracking, error.entityPath ?? requestPath);
}

/** SND-04, ERR-02 */
export function trackedText(text: string, tracking: Tracking, entityPath?: string): string {
  const { host, trackingId, timestamp, isTopic } = tracking;
  const namespace = cut(host.split('.')[0] ?? host, MAX_NAME_LENGTH);
  const tracker =
    entityPath === undefined
      ? namespace
      : `${namespace}:${trackedEntity(cut(entityPath, MAX_NAME_LENGTH), isTopic)}`;
  const sentence = cut(text, MAX_SENTENCE_LENGTH);
  return `${sentence} TrackingId:${dashed(trackingId)}, SystemTracker:${tracker}, Timestamp:${timestamp}`;
}

/** The entity in Azure's form: `Queue:orders`, `Topic:orders|billing`. */
function trackedEntity(entityPath: string, isTopic = false): string {
  const [, topicName, subscriptionName] = SUBSCRIPTION_PATH.exec(entityPath) ?? [];
  if (subscriptionName !== undefined) return `Topic:${topicName}|${subscriptionName}`;
  return `${isTopic ? 'Topic' : 'Queue'}:${entityPath}`;
}

/**
 * ERR-04: the JavaScript SDK recognises a missing entity by this sentence with the address in it. For a receiver at a topic it also says
 * where to receive instead (RCV-12).
 */
function sentenceOf({ reason, entityPath, message, data }: ServiceBusError, host: string): string {
  // MSG-08
  if (reason === 'property-size-exceeded') return `${UNABLE} ${message}`;
  if (reason !== 'entity-not-found' || entityPath === undefined) return message;
  const address = `sb://${cut(host, MAX_NAME_LENGTH)}/${cut(entityPath, MAX_NAME_LENGTH)}`;
  const sentence = `The messaging entity '${address}' could not be found.`;
  return data.about === 'topic' ? `${sentence} ${message}` : sentence;
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

function dashed(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
