// A message in its parts, for a front end whose clients do not speak AMQP: what an encoded one is made of and taken apart into.

import type { Instant } from '../broker/instant.js';
import type { Duration, OtherValue, RuleValue } from '../broker/rules/rule-value.js';

export type Binary = { readonly kind: 'binary'; readonly bytes: Uint8Array };

/** The value of an application property; undefined for what only AMQP has a type for, such as a decimal; a time span is its ticks. */
export type PartValue = Exclude<RuleValue, OtherValue | Duration> | Binary | undefined;

/** The sender's words about a message; undefined: nothing is said. */
export type PropertyParts = {
  readonly messageId: string | undefined;
  readonly to: string | undefined;
  readonly subject: string | undefined;
  readonly replyTo: string | undefined;
  readonly correlationId: string | undefined;
  /** ASCII. */
  readonly contentType: string | undefined;
  readonly sessionId: string | undefined;
  readonly replyToSessionId: string | undefined;
  readonly partitionKey: string | undefined;
  readonly viaPartitionKey: string | undefined;
  readonly scheduledEnqueueTime: Instant | undefined;
  /** `NEVER` is as good as undefined. */
  readonly timeToLiveMs: number | undefined;
};

export const NOTHING_SAID: PropertyParts = {
  messageId: undefined,
  to: undefined,
  subject: undefined,
  replyTo: undefined,
  correlationId: undefined,
  contentType: undefined,
  sessionId: undefined,
  replyToSessionId: undefined,
  partitionKey: undefined,
  viaPartitionKey: undefined,
  scheduledEnqueueTime: undefined,
  timeToLiveMs: undefined,
};

export type NamedValue<V> = { readonly name: string; readonly value: V };

/** A message to be encoded. */
export type SentParts = {
  readonly properties: PropertyParts;
  /** A number is a double, a bigint an int, or a long where it is too large for one. */
  readonly applicationProperties: readonly NamedValue<Exclude<RuleValue, OtherValue>>[];
  readonly body: Uint8Array;
};

/** A message that has been encoded by whomever. */
export type ReceivedParts = {
  readonly properties: PropertyParts;
  readonly applicationProperties: readonly NamedValue<PartValue>[];
  readonly body: BodyPart;
};

export type BodyPart =
  /** Of data sections one after another, or of a binary value; none when there is no body. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'text'; readonly text: string }
  /** Any other value, and sequences: the sections as they are encoded. */
  | { readonly kind: 'sections'; readonly bytes: Uint8Array };
