// The sentences of records, which are the same for a record and for an event of the control interface.

import { describe, expect, it } from 'vitest';
import type { ActivityRecord } from '../../src/watch/activity-record.js';
import { describeActivity } from '../../src/watch/activity-text.js';
import { jsonOfRecord } from '../../src/watch/record-json.js';
import { eventText, KINDS } from '../../src/watch/record-kinds.js';

/** Noon in the time zone of the test. */
const NOON = new Date(2026, 4, 1, 12).getTime();
const MESSAGE = { path: 'orders', sequenceNumber: 7 };
const STORED = { messageId: 'm', sessionId: undefined, correlationId: undefined, sizeBytes: 64 };
const COUNTED = { heldMs: 13, deliveryCount: 2, maxDeliveryCount: 10 };

type Fields = { readonly kind: string; readonly [name: string]: unknown };

const CASES: readonly (readonly [fields: Fields, text: string])[] = [
  [{ kind: 'accepted', ...MESSAGE, ...STORED }, 'Accepted with id "m", 64 bytes'],
  [
    { kind: 'enqueued', ...MESSAGE, ...STORED, sessionId: 's', correlationId: 'c' },
    'Enqueued with id "m", correlation "c", session "s", 64 bytes',
  ],
  [
    { kind: 'scheduled', ...MESSAGE, ...STORED, enqueueAt: NOON + 30_000 },
    'Scheduled for 12:00:30 with id "m", 64 bytes',
  ],
  [{ kind: 'duplicate', ...MESSAGE, messageId: 'm' }, 'Dropped a duplicate: the id "m" is there already'],
  [{ kind: 'routed', ...MESSAGE, acceptedNumber: 3, rule: 'eu' }, 'Copied by rule "eu" from #3'],
  [{ kind: 'unmatched', ...MESSAGE }, 'Matched no rule: no subscription takes it'],
  [{ kind: 'activated', ...MESSAGE, scheduledNumber: 3 }, 'Activated: it was scheduled as #3'],
  [{ kind: 'activated', ...MESSAGE, scheduledNumber: 7 }, 'Activated: it was deferred'],
  [
    { kind: 'locked', ...MESSAGE, lockedUntil: NOON + 30_000, deliveryCount: 0, lockToken: 'ab' },
    'Locked until 12:00:30, delivery 1',
  ],
  [
    { kind: 'locked', ...MESSAGE, lockedUntil: Number.POSITIVE_INFINITY, deliveryCount: 1, lockToken: 'ab' },
    'Locked until its receiver detaches, delivery 2',
  ],
  [{ kind: 'consumed', ...MESSAGE }, 'Received and deleted'],
  [
    { kind: 'renewed', ...MESSAGE, lockedUntil: NOON + 60_000, renewalCount: Number.NaN },
    'Lock renewed until 12:01:00',
  ],
  [
    { kind: 'renewed', ...MESSAGE, lockedUntil: NOON + 86_400_000, renewalCount: 3 },
    'Lock renewed 3 times, until 2026-05-02 12:00:00',
  ],
  [{ kind: 'completed', ...MESSAGE, heldMs: 5 }, 'Completed after 5 ms'],
  [{ kind: 'abandoned', ...MESSAGE, ...COUNTED }, 'Abandoned after 13 ms, delivery 2 of 10'],
  [{ kind: 'lock-expired', ...MESSAGE, ...COUNTED }, 'Lock ran out after 13 ms, delivery 2 of 10'],
  [{ kind: 'released', ...MESSAGE, heldMs: 5 }, 'Released after 5 ms'],
  [{ kind: 'deferred', ...MESSAGE, heldMs: 5 }, 'Deferred after 5 ms'],
  [{ kind: 'dead-lettered', ...MESSAGE }, 'Dead-lettered without a reason'],
  [
    { kind: 'dead-lettered', ...MESSAGE, reason: 'address', description: 'no street' },
    'Dead-lettered: address: no street',
  ],
  [{ kind: 'expired', ...MESSAGE }, 'Expired: its time to live is over'],
  [{ kind: 'forwarded', ...MESSAGE, destination: 'bills' }, "Forwarded to 'bills'"],
  [{ kind: 'moved', ...MESSAGE, destination: 'bills', newNumber: 2 }, "Moved to 'bills' as #2"],
  [{ kind: 'resubmitted', ...MESSAGE, destination: 'bills', newNumber: 2 }, "Resubmitted to 'bills' as #2"],
  [{ kind: 'transfer-waiting', ...MESSAGE, destination: 'bills' }, "Waits for 'bills'"],
  [{ kind: 'cancelled', ...MESSAGE }, 'Cancelled'],
  [{ kind: 'deleted', ...MESSAGE }, 'Deleted'],
  [{ kind: 'purged', path: 'orders', messageCount: 1 }, 'Purged of 1 message'],
  [{ kind: 'session-accepted', path: 'orders', sessionId: 's' }, 'Session "s" accepted'],
  [
    { kind: 'session-renewed', path: 'orders', sessionId: 's', lockedUntil: NOON + 1000 },
    'Session "s" renewed until 12:00:01',
  ],
  [{ kind: 'session-lost', path: 'orders', sessionId: 's' }, 'Session "s" lost: its lock ran out'],
  [{ kind: 'session-released', path: 'orders', sessionId: 's' }, 'Session "s" released'],
  [{ kind: 'session-state-set', path: 'orders', sessionId: 's' }, 'State of session "s" set'],
  [{ kind: 'transaction-declared', transactionId: 3 }, 'Transaction 3 declared'],
  [
    { kind: 'transaction-committed', transactionId: 3, operationCount: 2 },
    'Transaction 3 committed, 2 operations',
  ],
  [{ kind: 'transaction-rolled-back', transactionId: 3, cause: 'late' }, 'Transaction 3 rolled back: late'],
  [{ kind: 'entity-created', path: 'orders', entity: 'queue' }, 'Queue created'],
  [{ kind: 'entity-updated', path: 'orders', entity: 'queue' }, 'Queue changed'],
  [{ kind: 'entity-deleted', path: 'orders', entity: 'queue' }, 'Queue deleted'],
  [
    { kind: 'refused', path: 'orders', command: 'send', reason: 'argument', text: 'No.' },
    'Refused send: No.',
  ],
  [{ kind: 'connection-opened', transport: 'tcp' }, 'Connected over tcp'],
  [{ kind: 'connection-closed' }, 'Connection closed'],
  [{ kind: 'link-attached', path: 'orders', role: 'session-receiver' }, 'Session receiver attached'],
  [
    { kind: 'link-refused', path: 'orders', role: 'sender', condition: 'amqp:not-found', text: 'No.' },
    'Sender refused: amqp:not-found: No.',
  ],
  [{ kind: 'link-detached', path: 'orders', condition: 'x', text: 'idle' }, 'Link detached: idle'],
  [{ kind: 'token-accepted', path: 'orders' }, 'Token accepted'],
  [{ kind: 'token-refused', path: 'orders', reason: 'unauthorized', text: 'No.' }, 'Token refused: No.'],
  [{ kind: 'fault-fired', path: '', operation: 'send', effect: 'busy', fault: 1 }, 'Fault on send: busy'],
  [{ kind: 'client-refused', text: 'A client came with TLS' }, 'A client came with TLS'],
  [
    { kind: 'request-refused', path: 'orders', method: 'GET', status: 401, text: 'No.' },
    'GET refused with 401: No.',
  ],
  [
    { kind: 'http-request', path: '/orders', method: 'GET', status: 200, durationMs: 5 },
    'GET answered with 200 in 5 ms',
  ],
];

function recordOf(fields: object): ActivityRecord {
  return { id: 1, time: NOON, linkId: undefined, client: undefined, ...fields } as ActivityRecord;
}

describe('the sentence of a record', () => {
  it.each(CASES)('%j', (fields, text) => {
    const record = recordOf(fields);
    expect(eventText(record)).toBe(text);
    expect(eventText(JSON.parse(JSON.stringify(jsonOfRecord(record))))).toBe(text);
  });

  it('is there for each kind', () => {
    expect([...new Set(CASES.map(([{ kind }]) => kind))].sort()).toEqual([...KINDS].sort());
    expect(eventText({ kind: 'of-a-later-version' })).toBe('Of a later version');
  });
});

describe('the line of a record', () => {
  const client = { connectionId: 2, name: 'x', product: 'azsdk-js/7.9.5', label: 'JavaScript 7.9.5 :53412' };

  it('has the message or the entity before the sentence, and the client behind it', () => {
    const line = (fields: object) => describeActivity(recordOf(fields));
    expect(line({ kind: 'deleted', ...MESSAGE, client })).toBe(
      "'orders' #7  Deleted  [connection 2, JavaScript 7.9.5 :53412]",
    );
    expect(line({ kind: 'token-accepted', path: 'orders' })).toBe("'orders'  Token accepted");
    expect(line({ kind: 'fault-fired', path: '', operation: 'open', effect: 'busy' })).toBe(
      'Fault on open: busy',
    );
  });
});
