// The bodies of requests to `$management`: what each operation takes, and the values in it as SDKs write them.

import {
  array,
  big,
  bin,
  type Encoded,
  fixed,
  int,
  list,
  map,
  str,
  timestamp,
  uint,
  uuid,
} from '../../support/frame-encoder.js';
import { dataSection, messageAnnotations, propertiesSection } from '../../support/frame-message.js';
import { type Body, bodyOf } from './management-client.js';

const EMPTY_ARRAY_OF: Readonly<Record<number, Encoded>> = {
  129: Buffer.from('e0020081', 'hex'),
  152: Buffer.from('e0020098', 'hex'),
};

export const TIME = Date.UTC(2030, 0, 1);
/** The greatest time that .NET has, as Java sends it. */
export const END_OF_TIME = 253_402_300_799_999;
export const TOKEN = Buffer.from('00112233445566778899aabbccddeeff', 'hex');

/** What each operation takes. */
export const GOOD: Readonly<Record<string, Body>> = {
  'renew-lock': { 'lock-tokens': uuids(TOKEN) },
  'update-disposition': { 'lock-tokens': uuids(TOKEN), 'disposition-status': str('suspended') },
  'peek-message': peekBody(),
  'receive-by-sequence-number': { 'sequence-numbers': longs(1), 'receiver-settle-mode': uint(1) },
  'schedule-message': { messages: list([item(scheduledMessage('good', TIME))]) },
  'cancel-scheduled-message': { 'sequence-numbers': longs(3) },
  'batch-delete-messages': { 'message-count': int(1), 'enqueued-time-utc': timestamp(0) },
  'renew-session-lock': { 'session-id': str('s') },
  'get-session-state': { 'session-id': str('s') },
  'set-session-state': { 'session-id': str('s'), 'session-state': bin(Buffer.from('state')) },
  'get-message-sessions': { 'last-updated-time': timestamp(END_OF_TIME), skip: int(0), top: int(100) },
  'add-rule': { 'rule-name': str('r'), 'rule-description': description() },
  'remove-rule': { 'rule-name': str('r') },
  'enumerate-rules': { skip: int(0), top: int(100) },
};

/** An item of a request to schedule messages. */
export function item(message: Buffer): Encoded {
  return bodyOf({ message: bin(message) });
}

/** Of a rule with everything there is in it. */
export function description(
  fields: Body = {},
  filter: 'sql-filter' | 'correlation-filter' = 'sql-filter',
): Encoded {
  const parameters = map([[str('@a'), int(1)]]);
  const good: Body =
    filter === 'sql-filter'
      ? { expression: str('a = @a'), parameters }
      : { label: str('l'), properties: map([[str('a'), int(1)]]) };
  const action = bodyOf({ expression: str('SET a = 1') });
  return bodyOf({ [filter]: bodyOf({ ...good, ...fields }), 'sql-rule-action': action });
}

export function peekBody(fields: Body = {}): Body {
  return { 'from-sequence-number': longItem(0), 'message-count': uint(100), ...fields };
}

/** A message with the time to enqueue it at, as SDKs put it into a request to schedule it. */
export function scheduledMessage(text: string, at: number | bigint | undefined): Buffer {
  return Buffer.concat([
    ...(at === undefined ? [] : [messageAnnotations({ 'x-opt-scheduled-enqueue-time': timestamp(at) })]),
    propertiesSection({ messageId: str(`id of ${text}`) }),
    dataSection(text),
  ]);
}

/** An array of longs in their wide form, as SDKs write it. */
export function longs(...numbers: readonly (number | bigint)[]): Encoded {
  const [first, ...rest] = numbers.map(longItem);
  return first === undefined ? (EMPTY_ARRAY_OF[0x81] as Encoded) : array([first, ...rest]);
}

export function uuids(...tokens: readonly Buffer[]): Encoded {
  const [first, ...rest] = tokens.map((token) => uuid(token));
  return first === undefined ? (EMPTY_ARRAY_OF[0x98] as Encoded) : array([first, ...rest]);
}

export function longItem(number: number | bigint): Encoded {
  return fixed(0x81, big(number, 8));
}

export function sessionMessage(sessionId: string, text: string): Buffer {
  return Buffer.concat([propertiesSection({ groupId: str(sessionId) }), dataSection(text)]);
}

/** The body of a request about a session. */
export function about(sessionId: string, fields: Body = {}): Body {
  return { 'session-id': str(sessionId), ...fields };
}

export function settling(status: string, tokens: readonly Buffer[]): Body {
  return { 'lock-tokens': uuids(...tokens), 'disposition-status': str(status) };
}
