// A stored message as one that can be sent again, as far as the interface can say it.

import type { RawMessageAnswer } from '../../http/control/control-schemas.js';
import { bodyText } from './body-text.js';
import { bodyBytes } from './body-view.js';
import { type SentProperty, sentProperty } from './property-text.js';

/** The keys of `POST messages`. */
export type SendableMessage = {
  readonly body?: unknown;
  readonly bodyBase64?: string;
  readonly applicationProperties?: Readonly<Record<string, SentProperty>>;
  readonly messageId?: string;
  readonly to?: string;
  readonly subject?: string;
  readonly replyTo?: string;
  readonly correlationId?: string;
  readonly contentType?: string;
  readonly sessionId?: string;
  readonly replyToSessionId?: string;
  readonly partitionKey?: string;
  readonly timeToLiveMs?: number;
  readonly scheduledEnqueueTime?: string;
};

type Sendable = {
  readonly message: SendableMessage;
  /** The parts that could not be kept, in words. */
  readonly lost: readonly string[];
};

/** Properties that dead-lettering has added. */
const OF_DEAD_LETTERS: ReadonlySet<string> = new Set(['DeadLetterReason', 'DeadLetterErrorDescription']);
const SENT = [
  'messageId',
  'to',
  'subject',
  'replyTo',
  'correlationId',
  'contentType',
  'sessionId',
  'replyToSessionId',
  'partitionKey',
  'timeToLiveMs',
] as const;

export function sendableOf(stored: RawMessageAnswer): Sendable {
  const { body, state, scheduledTime } = stored;
  const lost: string[] = [];
  const given = SENT.flatMap((name) => (stored[name] === undefined ? [] : [[name, stored[name]]]));
  if (body.section === 'value' || body.section === 'sequence')
    lost.push(`its body was an AMQP ${body.section}`);
  if (stored.viaPartitionKey !== undefined) lost.push('its via partition key');
  const isLater = state === 'scheduled' && scheduledTime !== undefined;
  const message: SendableMessage = {
    ...Object.fromEntries(given),
    ...bodyOf(stored),
    ...propertiesOf(stored, lost),
    ...(isLater ? { scheduledEnqueueTime: scheduledTime } : {}),
  };
  return { message, lost };
}

function bodyOf({ body, raw }: RawMessageAnswer): Pick<SendableMessage, 'body' | 'bodyBase64'> {
  if (body.section === 'none') return {};
  if (body.section !== 'data') return { body: bodyText(body) };
  return { bodyBase64: base64Of(bodyBytes(raw)) };
}

function propertiesOf(
  { applicationProperties, deadLetterReason, deadLetterErrorDescription }: RawMessageAnswer,
  lost: string[],
): Pick<SendableMessage, 'applicationProperties'> {
  const isDead = deadLetterReason !== undefined || deadLetterErrorDescription !== undefined;
  const kept: [string, SentProperty][] = [];
  for (const [name, property] of Object.entries(applicationProperties)) {
    if (isDead && OF_DEAD_LETTERS.has(name)) continue;
    const sent = sentProperty(property);
    if (sent === undefined) lost.push(`its property ${name}, of type ${property.type}`);
    else kept.push([name, sent]);
  }
  return kept.length === 0 ? {} : { applicationProperties: Object.fromEntries(kept) };
}

export function base64Of(bytes: Uint8Array): string {
  const characters: string[] = [];
  for (const byte of bytes) characters.push(String.fromCharCode(byte));
  return btoa(characters.join(''));
}
