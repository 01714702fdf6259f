import { beforeEach, describe, expect, it } from 'vitest';
import { Causes } from './causes.js';
import type { PageEvent } from './page-event.js';

const ENTITIES = [
  { path: 'orders', kind: 'queue', lockDurationMs: 30_000 },
  { path: 'events', kind: 'topic' },
  { path: 'events/Subscriptions/eu', kind: 'subscription', lockDurationMs: 60_000 },
];
const WORKER = { connectionId: 2, name: 'fulfilment-1' };
/** The trouble that needs someone to act, and not only to know. */
const REFUSALS = new Set(['link-refused', 'token-refused', 'client-refused', 'refused']);
const DEAD = { kind: 'dead-lettered', path: 'orders', reason: 'TTLExpiredException' };
const LOST = {
  kind: 'lock-expired',
  path: 'orders',
  sequenceNumber: 7,
  heldMs: 30_000,
  deliveryCount: 1,
  maxDeliveryCount: 10,
};

let causes: Causes;
let id = 0;

beforeEach(() => {
  causes = new Causes();
  id = 0;
});

function add(...events: readonly Omit<PageEvent, 'id' | 'time'>[]): void {
  for (const event of events) {
    id += 1;
    causes.add({ ...event, id, time: new Date(Date.UTC(2026, 4, 1, 12, 0, id)).toISOString() });
  }
}

function list() {
  return causes.list(ENTITIES);
}

/** The only cause there is. */
function told() {
  expect(list()).toHaveLength(1);
  return list()[0];
}

describe('the list "Needs a look"', () => {
  it('tells nothing of what goes well', () => {
    add(
      { kind: 'enqueued', path: 'orders' },
      { kind: 'completed', path: 'orders' },
      { kind: 'abandoned', path: 'orders' },
      { kind: 'link-detached', path: 'orders' },
      { kind: 'transaction-rolled-back' },
    );
    expect(list()).toEqual([]);
  });

  it('groups dead letters by entity and reason, and has the newest group first', () => {
    add(
      { ...DEAD, sequenceNumber: 1 },
      { ...DEAD, sequenceNumber: 2, reason: 'address-unknown' },
      { ...DEAD, path: 'events/Subscriptions/eu', sequenceNumber: 3 },
      { ...DEAD, sequenceNumber: 1404 },
    );
    expect(list().map(({ title, text, count }) => [title, text, count])).toEqual([
      ['2 dead-lettered in orders', 'TTLExpiredException. Last: #1,404.', 2],
      ['1 dead-lettered in events/eu', 'TTLExpiredException. Last: #3.', 1],
      ['1 dead-lettered in orders', 'address-unknown. Last: #2.', 1],
    ]);
    expect(list()[0]).toMatchObject({
      isBad: true,
      lastTime: Date.UTC(2026, 4, 1, 12, 0, 4),
      to: { screen: 'entity', path: 'orders', tab: 'dead', filter: 'reason:TTLExpiredException' },
    });
  });

  it('says whether a receiver chose the dead-letter queue, or only had the message last', () => {
    add({ ...DEAD, sequenceNumber: 1, client: WORKER, reason: 'a', description: 'no such street' });
    expect(told()?.text).toBe('a. no such street. Last: #1, last held by fulfilment-1.');
    add({ ...DEAD, sequenceNumber: 2, client: WORKER, reason: 'a', outcome: 'dead-letter' });
    expect(told()?.text).toBe('a. Last: #2, by fulfilment-1.');
  });

  it('leads to the transfer dead-letter queue for a message that could not be forwarded', () => {
    const transfer = { ...DEAD, path: 'orders/$Transfer', sequenceNumber: 1, reason: 'a' };
    add(transfer);
    expect(told()).toMatchObject({
      title: '1 transfer dead-lettered in orders',
      to: { path: 'orders', tab: 'transfer-dead' },
    });
    add(transfer);
    expect(told()?.title).toBe('2 transfers dead-lettered in orders');
  });

  it('says of a lock that was ended by hand or by a fault who ended it, and blames no handler', () => {
    add({ ...LOST, client: { connectionId: 0, name: 'http', product: 'fault 2' } });
    expect(told()?.text).toBe('It was ended by hand (fault 2). It was held 30 s. Delivery 1 of 10.');
  });

  it('says of a lost lock that its handler was too slow if the receiver was connected', () => {
    add({ ...LOST, client: WORKER });
    expect(told()).toMatchObject({
      isBad: false,
      title: 'Lock of orders #7 lost',
      text: 'fulfilment-1 was connected: its handler took longer than 30 s, or did not settle. It was held 30 s. Delivery 1 of 10.',
      to: { screen: 'message', path: 'orders', tab: 'active', sequenceNumber: 7 },
    });
    add({ ...LOST, client: WORKER });
    expect(told()?.title).toBe('2 locks lost in orders');
  });

  it('says of a lost lock that its receiver had gone if it had', () => {
    add(LOST);
    expect(told()?.text).toMatch(/^Its receiver had gone without settling it\./);
  });

  it('leads to the message in the dead-letter queue whose lock was lost there', () => {
    add({ ...LOST, path: 'orders/$DeadLetterQueue' });
    expect(told()).toMatchObject({ title: 'Lock of orders #7 lost', to: { path: 'orders', tab: 'dead' } });
  });

  it('suggests the entity that is nearest to one that is not found', () => {
    const missing = { kind: 'link-refused', role: 'receiver', condition: 'amqp:not-found' };
    add({ ...missing, path: 'order', client: WORKER }, { ...missing, path: 'order', client: WORKER });
    expect(told()).toMatchObject({
      title: "'order' not found",
      text: "Asked for by fulfilment-1, 2 times. Did you mean 'orders'?",
      to: { screen: 'entity', path: 'orders' },
    });
    add({ ...missing, path: 'ordrs/$DeadLetterQueue' }, { ...missing, path: 'somewhere-else' });
    expect(list().map(({ title, text }) => [title, text])).toEqual([
      ["'somewhere-else' not found", 'Asked for by a client. There is no entity of that name.'],
      ["'ordrs' not found", "Asked for by a client. Did you mean 'orders'?"],
      ["'order' not found", expect.anything()],
    ]);
    expect(list()[0]?.to).toEqual({ screen: 'overview' });
  });

  it.each<[Omit<PageEvent, 'id' | 'time'>, string, string, string]>([
    [
      {
        kind: 'link-refused',
        path: 'orders',
        role: 'receiver',
        condition: 'amqp:not-allowed',
        text: 'It requires sessions. TrackingId:42, SystemTracker:x\n Reference:y',
      },
      "Receiver of 'orders' refused",
      'It requires sessions.',
      'entity',
    ],
    [
      { kind: 'link-detached', path: 'orders', condition: 'amqp:link:detach-forced', text: 'idle' },
      'Link of orders detached',
      'idle.',
      'connections',
    ],
    [
      {
        kind: 'token-refused',
        path: 'orders',
        reason: 'ExpiredToken',
        text: 'It has expired.',
        client: WORKER,
      },
      "Token for 'orders' refused",
      'fulfilment-1: It has expired.',
      'connections',
    ],
    [
      { kind: 'client-refused', text: 'It spoke TLS 1.0.' },
      'A client was refused',
      'It spoke TLS 1.0.',
      'connect',
    ],
    [
      { kind: 'refused', path: 'orders', command: 'renew-lock', reason: 'argument', text: 'No.' },
      'Renew lock refused in orders',
      'No.',
      'entity',
    ],
    [
      { kind: 'transaction-rolled-back', cause: 'The connection was closed' },
      'Transaction rolled back',
      'The connection was closed.',
      'connections',
    ],
    [
      { kind: 'fault-fired', path: 'orders', operation: 'send', effect: 'server-busy', fault: 1 },
      'Fault on send of orders',
      'server-busy, as asked for.',
      'clock',
    ],
    [
      { kind: 'session-lost', path: 'orders', sessionId: 'C-1', client: WORKER },
      "Session 'C-1' of orders lost",
      expect.stringMatching(/^fulfilment-1/),
      'sessions',
    ],
    [
      { kind: 'unmatched', path: 'events', sequenceNumber: 5 },
      ...([
        '1 to events matched no rule',
        expect.stringMatching(/^No subscription took #5\./),
        'rules',
      ] as const),
    ],
  ])('tells of %j', (event, title, text, screen) => {
    add(event);
    const isBad = REFUSALS.has(event.kind);
    expect(told()).toMatchObject({ isBad, title, text, to: { screen } });
  });

  it('says how often, and which was the last', () => {
    const unmatched = { kind: 'unmatched', path: 'events' };
    add({ ...unmatched, sequenceNumber: 5 }, { ...unmatched, sequenceNumber: 6 });
    expect(told()).toMatchObject({
      title: '2 to events matched no rule',
      text: expect.stringMatching(/^No subscription took them; the last was #6\./),
    });
    add({ kind: 'client-refused', text: 'a' }, { kind: 'client-refused', text: 'a' });
    expect(list()[0]).toMatchObject({ title: 'A client was refused, 2 times', count: 2 });
  });

  it('makes no sentence of what it does not know', () => {
    add({ kind: 'dead-lettered', path: 'orders', sequenceNumber: 1 });
    add({ kind: 'lock-expired', path: 'unknown', sequenceNumber: 1, client: WORKER });
    add({ kind: 'refused', reason: 'argument' }, { kind: 'fault-fired', operation: 'open', effect: 'close' });
    expect(list().map(({ title, text }) => [title, text])).toEqual([
      ['Fault on open', 'close, as asked for.'],
      ['Request refused', ''],
      ['Lock of unknown #1 lost', 'fulfilment-1 was connected: its handler took longer, or did not settle.'],
      ['1 dead-lettered in orders', 'Without a reason. Last: #1.'],
    ]);
  });

  it('knows an entity and its dead-letter queue in any spelling', () => {
    add({ ...LOST, path: 'ORDERS/$deadletterqueue', client: WORKER });
    expect(told()).toMatchObject({
      title: 'Lock of ORDERS #7 lost',
      text: expect.stringMatching(/longer than 30 s/),
      to: { path: 'ORDERS', tab: 'dead' },
    });
  });

  it('is empty again once it is cleared', () => {
    add(DEAD);
    causes.clear();
    expect(list()).toEqual([]);
  });

  it('leaves out refusals that another event tells of', () => {
    for (const reason of ['entity-not-found', 'message-lock-lost', 'session-lock-lost']) {
      add({ kind: 'refused', path: 'orders', reason });
    }
    expect(list()).toEqual([]);
  });

  it('shows the signs that a client has put into names, and does not obey them', () => {
    const name = 'a\u202eb\u0000';
    add({ kind: 'link-refused', path: name, condition: 'amqp:not-found', client: { connectionId: 1, name } });
    expect(told()).toMatchObject({
      title: "'a\\u202eb\\u0000' not found",
      text: expect.stringMatching(/^Asked for by a\\u202eb\\u0000\./),
    });
  });

  it('keeps the 200 newest groups', () => {
    for (let index = 0; index < 250; index++) add({ ...DEAD, sequenceNumber: index, reason: `r${index}` });
    add({ ...DEAD, sequenceNumber: 999, reason: 'r60' });
    expect(list()).toHaveLength(200);
    expect(list()[0]).toMatchObject({ count: 2, text: 'r60. Last: #999.' });
    expect(list().at(-1)?.text).toBe('r50. Last: #50.');
  });
});
