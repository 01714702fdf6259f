// A message in its parts, for clients that do not speak AMQP: takes an encoded message apart into properties and body.

import type { Instant } from '../broker/contract/instant.js';
import type { Decimal, Duration, OtherValue, RuleValue } from '../broker/rules/rule-value.js';
import { asBuffer } from '../codec/types.js';
import {
  endOfValue,
  givenField,
  isStringAt,
  itemOffsets,
  payloadAt,
  readEntries,
  textAt,
} from './encoded-values.js';
import { PROPERTIES_FIELD } from './message-format.js';
import { dashed, readHead } from './read-message.js';
import { ruleValueAt } from './rule-values.js';
import { type Body, readDataSections, type Section, splitSections } from './sections.js';

const DESCRIBED = 0x00;
const NULL = 0x40;
const BIN8 = 0xa0;
const BIN32 = 0xb0;

type Binary = { readonly kind: 'binary'; readonly bytes: Uint8Array };

/** The value of an application property, a time span as its ticks; undefined for types that only AMQP has (decimal). */
export type PartValue = Exclude<RuleValue, OtherValue | Duration | Decimal> | Binary | undefined;

/** The properties that a sender set; undefined means not set. */
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
  /** `NEVER` means the same as undefined. */
  readonly timeToLiveMs: number | undefined;
};

export const NO_PROPERTIES: PropertyParts = {
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

type NamedValue<V> = { readonly name: string; readonly value: V };

/** A message to be encoded by `encodeMessage`. */
export type SentParts = {
  readonly properties: PropertyParts;
  /** A number becomes a double; a bigint an int, or a long when it is too large for an int. An encoded value stays as it is. */
  readonly applicationProperties: readonly NamedValue<RuleValue>[];
  readonly body: Uint8Array;
};

/** A message from any sender, decoded. */
export type ReceivedParts = {
  readonly properties: PropertyParts;
  readonly applicationProperties: readonly NamedValue<PartValue>[];
  readonly body: BodyPart;
};

export type BodyPart =
  /** The data sections joined, or a binary value; empty when there is no body. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'text'; readonly text: string }
  /** Any other value, or sequences: the encoded sections. */
  | { readonly kind: 'sections'; readonly bytes: Uint8Array };

/** Decodes a message that passed `readMessage` when it was sent; `bytes` may have been spliced since. */
export function readParts(bytes: Uint8Array): ReceivedParts {
  const buffer = asBuffer(bytes);
  const sections = splitSections(buffer);
  const offsets = sections.properties === undefined ? [] : itemOffsets(buffer, sections.properties.value);
  const { messageId, sessionId, replyToSessionId, ...message } = readHead(buffer, sections, buffer);
  const text = (index: number) => {
    const offset = givenField(buffer, offsets, index);
    return offset === undefined ? undefined : textOfField(buffer, offset);
  };
  const properties: PropertyParts = {
    messageId,
    to: text(PROPERTIES_FIELD.to),
    subject: text(PROPERTIES_FIELD.subject),
    replyTo: text(PROPERTIES_FIELD.replyTo),
    correlationId: text(PROPERTIES_FIELD.correlationId),
    contentType: text(PROPERTIES_FIELD.contentType),
    sessionId,
    replyToSessionId,
    partitionKey: message.partitionKey,
    viaPartitionKey: message.viaPartitionKey,
    scheduledEnqueueTime: message.scheduledEnqueueTime,
    timeToLiveMs: message.timeToLiveMs,
  };
  return {
    properties,
    applicationProperties: readApplicationProperties(buffer, sections.applicationProperties),
    body: readBody(buffer, sections.body),
  };
}

/** A key that is not text names no property. */
function readApplicationProperties(bytes: Buffer, section: Section | undefined): NamedValue<PartValue>[] {
  const entries = section === undefined ? [] : readEntries(bytes, section.value);
  return entries.flatMap(({ name, value }) =>
    name === undefined ? [] : [{ name, value: valueAt(bytes, value) }],
  );
}

/** The value at `offset` without its descriptors: a URI is text, a time span its number of ticks (MSG-11). */
function valueAt(bytes: Buffer, offset: number): PartValue {
  let plain = offset;
  while (bytes[plain] === DESCRIBED) plain = endOfValue(bytes, plain + 1);
  const code = bytes[plain];
  if (code === BIN8 || code === BIN32) return { kind: 'binary', bytes: payloadAt(bytes, plain) };
  const value = ruleValueAt(bytes, plain);
  if (typeof value !== 'object' || value === null) return value;
  return value.kind === 'uuid' || value.kind === 'timestamp' ? value : undefined;
}

/** The text of a field of the properties section, which may be of any type that an id has. */
export function textOfField(bytes: Buffer, offset: number): string | undefined {
  return plainText(valueAt(bytes, offset));
}

/** The text of a value of any type that an id may have. */
function plainText(value: PartValue): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return undefined;
  if (value.kind === 'uuid') return dashed(value.hex);
  return value.kind === 'binary' ? asBuffer(value.bytes).toString('latin1') : undefined;
}

function readBody(bytes: Buffer, body: Body | undefined): BodyPart {
  switch (body?.kind) {
    case undefined:
      return { kind: 'bytes', bytes: new Uint8Array() };
    case 'data':
      return { kind: 'bytes', bytes: join(readDataSections(bytes, body)) };
    case 'sequence':
      return { kind: 'sections', bytes: bytes.subarray(body.start, body.end) };
    case 'value':
      return readValueBody(bytes, body);
  }
}

function readValueBody(bytes: Buffer, { start, value, end }: Body): BodyPart {
  const code = bytes[value];
  if (code === NULL) return { kind: 'bytes', bytes: new Uint8Array() };
  if (code === BIN8 || code === BIN32) return { kind: 'bytes', bytes: payloadAt(bytes, value) };
  if (isStringAt(bytes, value)) return { kind: 'text', text: textAt(bytes, value) ?? '' };
  return { kind: 'sections', bytes: bytes.subarray(start, end) };
}

/** A single payload is not copied. */
function join([first, ...others]: readonly Buffer[]): Uint8Array {
  if (first === undefined) return new Uint8Array();
  return others.length === 0 ? first : Buffer.concat([first, ...others]);
}
