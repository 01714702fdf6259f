// What a receiver gets of a message that went through the broker, taken apart without any code of src.

import { expect } from 'vitest';
import { NEVER } from '../../src/broker/contract/instant.js';
import type { BrokerProperties } from '../../src/broker/contract/message-properties.js';
import type { AnnotatedDelivery, DeliveryForm } from '../../src/content/annotations-splice.js';
import { readMessage } from '../../src/content/read-message.js';
import { encodeForDelivery } from '../../src/content/splice.js';
import { endOf, items, values } from '../support/frame-decoder.js';
import { NULL } from '../support/frame-encoder.js';
import type { Entry, Message } from '../support/frame-message-arbitraries.js';

export const INVENTED = '0123456789abcdef0123456789abcdef';
export const ENQUEUED_TIME = 1_763_700_000_123;
/** Of a message without a limit to its life, in a queue without partitions. */
export const UNTOUCHED: BrokerProperties = {
  sequenceNumber: 7,
  enqueuedTime: ENQUEUED_TIME,
  expiresAt: NEVER,
  deliveryCount: 0,
  state: 0,
  wasScheduled: false,
  generatedMessageId: undefined,
  propertyChanges: undefined,
  systemChanges: undefined,
  enqueuedSequenceNumber: undefined,
  deadLetterSource: undefined,
  partitionId: undefined,
};

const CODES = [0x70, 0x71, 0x72, 0x73, 0x74] as const;
const SYMBOLS = [
  'header',
  'delivery-annotations',
  'message-annotations',
  'properties',
  'application-properties',
];

export type Lock = Omit<AnnotatedDelivery, 'properties'>;
export const NO_LOCK: Lock = { lockedUntil: undefined, lockToken: undefined };

export type Delivered = {
  /** The whole sections before the body, by code. */
  readonly head: ReadonlyMap<number, Buffer>;
  readonly rest: Buffer;
  readonly pieces: readonly Buffer[];
};

export function deliver(
  bytes: Uint8Array,
  broker: Partial<BrokerProperties> = {},
  lock: Partial<Lock> = {},
  way: DeliveryForm = 'delivered',
): Delivered {
  const properties = { ...UNTOUCHED, ...broker };
  const pieces = encodeForDelivery(readMessage(bytes).content, { properties, ...NO_LOCK, ...lock }, way);
  const whole = Buffer.concat(pieces);
  const head = new Map<number, Buffer>();
  let restLength = whole.length;
  for (const each of values(whole)) {
    const code = codeOf(each);
    if (code > 0x74) break;
    expect([...head.keys()].every((earlier) => earlier < code)).toBe(true);
    head.set(code, each);
    restLength -= each.length;
  }
  return { head, rest: whole.subarray(whole.length - restLength), pieces };
}

/** The encoded fields of a section that must be there. */
export function fieldsOf({ head }: Delivered, code: number): Buffer[] {
  const section = head.get(code);
  if (section === undefined) throw new Error(`there is no section 0x${code.toString(16)}`);
  return items(section);
}

/** The encoded entries of a section; none when it is not there. */
export function entriesOf({ head }: Delivered, code: number): Entry[] {
  const section = head.get(code);
  const each = section === undefined ? [] : items(section);
  return each.flatMap((key, index) => (index % 2 === 0 ? [[key, each[index + 1] ?? NULL] as const] : []));
}

/** A section as it was sent. */
export function sentSection(code: number, message: Message): Buffer | undefined {
  return values(message.bytes).find((each) => codeOf(each) === code);
}

/** Of an encoded string, symbol or binary. */
export function textOf(encoded: Buffer): string {
  return encoded.toString('utf8', (encoded[0] as number) >= 0xb0 ? 5 : 2);
}

function codeOf(encoded: Buffer): number {
  const descriptor = encoded.subarray(1, endOf(encoded, 1));
  if (descriptor[0] === 0x53) return descriptor[1] as number;
  if (descriptor[0] === 0x80) return Number(descriptor.readBigUInt64BE(1));
  const index = SYMBOLS.findIndex((name) => descriptor.toString('utf8', 2).startsWith(`amqp:${name}:`));
  return CODES[index] ?? 0x75;
}
