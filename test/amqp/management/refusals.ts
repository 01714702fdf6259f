// What a request that is refused has in common with others: the answer to it, and that nothing has changed by it.

import { expect } from 'vitest';
import { bin, type Encoded, int, list, map, str, timestamp, uint } from '../../support/frame-encoder.js';
import { type Body, bodyOf } from './management-client.js';
import { longs, peekBody, type Surroundings, scheduledMessage, uuids } from './surroundings.js';

const HOUR = 60 * 60 * 1000;
export const TIME = Date.UTC(2030, 0, 1);
/** The greatest time that .NET has, as Java sends it. */
export const END_OF_TIME = 253_402_300_799_999;
export const TOKEN = Buffer.from('00112233445566778899aabbccddeeff', 'hex');

export const ARGUMENT = { status: 'int 400', condition: "'com.microsoft:argument-error" };
export const OUT_OF_RANGE = { status: 'int 400', condition: "'com.microsoft:argument-out-of-range" };
export const NOT_ALLOWED = { status: 'int 400', condition: "'amqp:not-allowed" };
export const NOT_IMPLEMENTED = { status: 'int 501', condition: "'amqp:not-implemented" };

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

/** Whose changes would be seen: a deferred, an active and a scheduled message. */
export async function sendSome(given: Surroundings): Promise<void> {
  await given.defer('deferred');
  await given.send('active', scheduledMessage('scheduled', given.now + HOUR));
}

export type Refusal = { readonly status: string; readonly condition: string; readonly text: string | RegExp };

/** The answer says this, with the tracking suffix behind it; the link lives on, and every message is as it was. */
export async function expectRefused(
  given: Surroundings,
  [operation, body]: readonly [operation: string, body: Body | Encoded],
  { text, ...expected }: Refusal,
): Promise<void> {
  const before = await given.list();
  const reply = await given.ask(operation, body);
  expect(reply).toMatchObject({ ...expected, body: { type: 'map', value: [] } });
  if (typeof text === 'string') expect(reply.description).toContain(text);
  else expect(reply.description).toMatch(text);
  expect(reply.description).toMatch(/ TrackingId:\S+, SystemTracker:\S+:Queue:orders, Timestamp:\S+$/);
  expect(await given.list()).toEqual(before);
}

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
