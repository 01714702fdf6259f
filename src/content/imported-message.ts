// Reads a message as it is shown, from `GET messages`, `jitney peek --json` or written by hand, so that an entity can take it in. With
// its raw bytes nothing of its content is lost; what the broker or a receiver has changed since is the difference of both.

import type { ImportedMessage } from '../broker/contract/management.js';
import type {
  DetailChanges,
  MessageDetails,
  NewMessage,
  PropertyChange,
} from '../broker/contract/message-properties.js';
import { DecodeError } from '../codec/decode-error.js';
import type { JsonBody } from './body-json.js';
import { encodeMessage } from './encode-message.js';
import { NO_PROPERTIES, type PropertyParts } from './message-parts.js';
import { readMessage } from './read-message.js';
import { describeMessage, type JsonForm, type ShownMessage } from './shown-message.js';
import { encodeTyped, SENT_TYPES, type TypedValue } from './typed-value.js';

/** The fields that are read. All others are ignored: numbers and times of the broker are new. */
export type MessageLine = Partial<Omit<ShownMessage<JsonForm>, 'body' | 'applicationProperties'>> & {
  readonly raw?: { readonly base64: string } | undefined;
  /** A body as it is shown, or as `POST messages` takes it. */
  readonly body?: unknown;
  readonly bodyBase64?: string | undefined;
  readonly applicationProperties?: Readonly<Record<string, unknown>> | undefined;
};

/** Properties that the action of a rule may have changed since the message was sent. */
const CHANGEABLE = [
  'subject',
  'correlationId',
  'contentType',
  'to',
  'replyTo',
  'replyToSessionId',
  'sessionId',
] as const;
const GENERATED_ID = /^[0-9a-f]{32}$/;
const TEXTS = Object.keys(NO_PROPERTIES).filter(
  (name) => name !== 'scheduledEnqueueTime' && name !== 'timeToLiveMs',
) as (keyof PropertyParts)[];

/** Throws a DecodeError, which says in a sentence what is wrong. */
export function readImported(line: MessageLine, now: number): ImportedMessage {
  const { raw, deliveryCount = 0, state = 'active', lastHolder, deadLetterSource } = line;
  const time = timeOf(line);
  const sent = raw === undefined ? composed(line, now) : readMessage(Buffer.from(raw.base64, 'base64'));
  const isScheduled = state === 'scheduled' || (state === 'active' && time !== undefined && time > now);
  const message: NewMessage = { ...sent, scheduledEnqueueTime: isScheduled ? time : undefined };
  const changes = raw === undefined ? reasonIn(line) : changesIn(line, sent);
  return {
    message,
    sourceNumber: Number(line.sequenceNumber ?? 0),
    state: isScheduled ? 'scheduled' : state === 'deferred' ? 'deferred' : 'active',
    deliveryCount,
    details: given({ ...changes, lastHolder, deadLetterSource }),
  };
}

/** A scheduled message may have had its time changed, or come from a service that tells only when it was set. */
function timeOf({ scheduledTime, scheduledEnqueueTime }: MessageLine): number | undefined {
  const text = scheduledTime ?? scheduledEnqueueTime;
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw problem(`its scheduled time must be in ISO 8601, not ${shortened(text)}`);
  return time;
}

/** A message without its bytes is encoded anew. */
function composed(line: MessageLine, now: number): NewMessage {
  const properties = { ...NO_PROPERTIES } as Record<keyof PropertyParts, unknown>;
  for (const name of TEXTS) properties[name] = line[name];
  properties.timeToLiveMs = line.timeToLiveMs;
  properties.scheduledEnqueueTime = timeOf(line);
  const given = Object.entries(line.applicationProperties ?? {});
  const applicationProperties = given
    .filter(([name]) => !isReason(name))
    .map(([name, value]) => ({ name, value: { kind: 'other', encoded: encoded(name, value) } as const }));
  const parts = { properties: properties as PropertyParts, applicationProperties, body: bodyOf(line) };
  return readMessage(encodeMessage(parts, now));
}

function bodyOf({ body, bodyBase64 }: MessageLine): Uint8Array {
  if (bodyBase64 !== undefined) return Buffer.from(bodyBase64, 'base64');
  if (body === undefined) return new Uint8Array();
  if (typeof body === 'string') return Buffer.from(body);
  const { kind, section } = body as { readonly kind?: unknown; readonly section?: unknown };
  if (section === undefined) return Buffer.from(JSON.stringify(body));
  const shown = body as { readonly text?: string; readonly base64?: string; readonly value?: unknown };
  switch (kind) {
    case 'empty':
      return new Uint8Array();
    case 'text':
      return Buffer.from(shown.text ?? '');
    case 'base64':
      return Buffer.from(shown.base64 ?? '', 'base64');
    case 'json':
      return Buffer.from(JSON.stringify(shown.value));
    default:
      throw problem(
        'its body is an AMQP value, which only the raw bytes hold: export it with --raw, or raw=true',
      );
  }
}

/** Why a message without its bytes is a dead letter. */
function reasonIn({ deadLetterReason, deadLetterErrorDescription }: MessageLine): MessageDetails | undefined {
  const propertyChanges = [
    { name: 'DeadLetterReason', value: deadLetterReason },
    { name: 'DeadLetterErrorDescription', value: deadLetterErrorDescription },
  ].flatMap(({ name, value }): PropertyChange[] => (value === undefined ? [] : [{ name, value }]));
  return propertyChanges.length === 0 ? undefined : { propertyChanges };
}

/** Changes by the broker or a receiver: the line says something else than the sender's bytes. */
function changesIn(line: MessageLine, sent: NewMessage): MessageDetails | undefined {
  const before = describeMessage(sent.content, 'received');
  refuseOtherBody(line.body, before.body);
  const isGenerated = before.messageId === undefined && GENERATED_ID.test(line.messageId ?? '');
  const propertyChanges = changedProperties(line, before);
  const texts = CHANGEABLE.filter((name) => line[name] !== undefined && line[name] !== before[name]);
  const messageId = isGenerated || line.messageId === before.messageId ? undefined : line.messageId;
  const systemChanges = {
    ...Object.fromEntries(texts.map((name) => [name, line[name]])),
    ...(messageId === undefined ? {} : { messageId }),
  };
  return given({
    generatedMessageId: isGenerated ? line.messageId : undefined,
    propertyChanges: propertyChanges.length === 0 ? undefined : propertyChanges,
    systemChanges: Object.keys(systemChanges).length === 0 ? undefined : systemChanges,
  });
}

/** The bytes would win over a body that somebody has mended. A tool may have written the same body with its keys in another order. */
function refuseOtherBody(given: unknown, sent: JsonBody): void {
  if (given === undefined || sameJson(given, sent)) return;
  throw problem(
    'its body differs from the bytes in "raw": remove "raw" to send the body, or "body" to send the bytes as they are',
  );
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b) || sorted(a) === sorted(b);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

function changedProperties(
  line: MessageLine,
  { applicationProperties: before }: ShownMessage<JsonForm>,
): PropertyChange[] {
  const now = line.applicationProperties;
  if (now === undefined) return [...(reasonIn(line)?.propertyChanges ?? [])];
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(now, name));
  return [
    ...removed.map((name) => ({ name, value: null })),
    ...Object.entries(now)
      .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]))
      .map(([name, value]) => ({ name, value: changedValue(name, value) })),
  ];
}

/** A reason is kept as a text: the broker sets it so, and reads it. */
function changedValue(name: string, value: unknown): string | Uint8Array {
  const text = typeof value === 'string' ? value : (value as TypedValue | null)?.value;
  return isReason(name) && typeof text === 'string' ? text : encoded(name, value);
}

function isReason(name: string): boolean {
  return name === 'DeadLetterReason' || name === 'DeadLetterErrorDescription';
}

/** A value with its type, or a plain one as `POST messages` takes it. */
function encoded(name: string, given: unknown): Uint8Array {
  const { type, value, descriptor } = typedOf(given);
  const sentType = SENT_TYPES.find((one) => one === type);
  const isPlain = value === null || typeof value !== 'object';
  const bytes = sentType !== undefined && isPlain ? encodeTyped(sentType, value, descriptor) : undefined;
  if (bytes !== undefined) return bytes;
  throw problem(
    `its property ${shortened(name)} must be a value of the type ${type}, not ${shortened(value)}`,
  );
}

function typedOf(given: unknown): TypedValue {
  if (typeof given === 'string') return { type: 'string', value: given };
  if (typeof given === 'boolean') return { type: 'boolean', value: given };
  if (given === null) return { type: 'null', value: null };
  if (typeof given !== 'number') return given as TypedValue;
  const isInt = Number.isInteger(given) && Math.abs(given) < 2 ** 31;
  return { type: isInt ? 'int' : Number.isSafeInteger(given) ? 'long' : 'double', value: given };
}

/** The details without those that are undefined; undefined without any. */
function given(details: Partial<DetailChanges>): MessageDetails | undefined {
  const entries = Object.entries(details).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as MessageDetails);
}

function shortened(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 100) ?? String(value);
}

function problem(text: string): DecodeError {
  return new DecodeError(text, 'amqp:invalid-field');
}
