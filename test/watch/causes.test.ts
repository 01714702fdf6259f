// What needs a look: which causes there are, in which words, and when each is over.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Activity } from '../../src/broker/contract/activity.js';
import type { InspectedCauses } from '../../src/broker/contract/inspection.js';
import { ActivityStream } from '../../src/watch/activity-stream.js';
import type { ClientActivity } from '../../src/watch/client-activity.js';

const WORKER = { connectionId: 2, name: 'x', product: 'worker/1', label: 'worker/1' };
const OTHER = { connectionId: 3, name: 'y', product: 'other/1', label: 'other/1' };
const BY = 'connection 2, worker/1';
const MINUTE = 60_000;

const EXPIRED = {
  kind: 'lock-expired',
  path: 'orders',
  sequenceNumber: 7,
  linkId: 5,
  heldMs: 30_000,
  deliveryCount: 1,
  maxDeliveryCount: 10,
} as const;
const COMPLETED = { kind: 'completed', path: 'orders', sequenceNumber: 8, linkId: 5, heldMs: 1 } as const;
const NOT_FOUND = {
  kind: 'link-refused',
  role: 'receiver',
  path: 'order',
  condition: 'amqp:not-found',
  text: 'no such entity',
} as const;
const NOTHING: InspectedCauses = { deadLetters: [], full: [], waiting: [] };
const GROUP: InspectedCauses['deadLetters'][number] = {
  path: 'orders',
  isTransfer: false,
  isRest: false,
  reason: 'address',
  maskedReason: 'address',
  description: 'Order 7 has no street',
  maskedDescription: 'Order … has no street',
  count: 1,
  oldestTime: 5,
  newestTime: 5,
  sequenceNumber: 7,
  lastHolder: 'worker/1',
};

let now: number;
/** How far the broker's clock is ahead of the machine's. */
let aheadMs: number;
let stream: ActivityStream;
let turn: (activity: Activity) => void;

beforeEach(() => {
  now = 1000;
  aheadMs = 0;
  turn = () => {};
  stream = new ActivityStream(
    {
      listen(listener) {
        turn = (activity) =>
          listener?.({ all: [activity], commandStart: 0, commandEnd: 0 }, now + aheadMs, undefined);
      },
      get clientTime() {
        return now + aheadMs;
      },
    },
    () => now,
  );
  stream.turnOn();
  for (const client of [WORKER, OTHER]) {
    stream.connectionOpened(client, { kind: 'connection-opened', transport: 'tcp' });
  }
  stream.linkOpened(5, WORKER.connectionId);
  stream.linkOpened(6, OTHER.connectionId);
});

function by({ connectionId }: { readonly connectionId: number }, activity: ClientActivity): void {
  stream.add(activity, { connectionId, linkId: undefined });
}

function list(inspected = NOTHING) {
  const known = ['orders', 'events', 'events/Subscriptions/eu'];
  return stream.causes(inspected, {
    lockDurationMs: (path) => (path === 'orders' ? 30_000 : undefined),
    isThere: (path) => known.includes(path),
    nearest: (path) => (path.toLowerCase() === 'order' ? 'orders' : undefined),
  });
}

/** The only cause. */
function told(inspected = NOTHING) {
  const causes = list(inspected);
  expect(causes).toHaveLength(1);
  return causes[0];
}

it('nothing is told of what goes well', () => {
  turn(COMPLETED);
  by(WORKER, { kind: 'link-detached', path: 'orders', condition: undefined, text: undefined });
  by(WORKER, { kind: 'connection-closed', cause: undefined });
  expect(list()).toEqual([]);
});

it('nothing is told of the links of an entity that was deleted', () => {
  turn({ kind: 'entity-deleted', entity: 'queue', path: 'orders' });
  by(WORKER, { kind: 'link-detached', path: 'orders', condition: 'amqp:not-found', text: 'not found' });
  expect(list()).toEqual([]);
});

describe('a lock that ran out', () => {
  it('says why, and is over when its receiver completes a message there', () => {
    turn(EXPIRED);
    expect(told()).toMatchObject({
      kind: 'locks-run-out',
      isBad: false,
      title: 'The lock of orders #7 ran out',
      text: `Connection 2, worker/1 was connected: its handler took longer than 30 s, or did not settle. It was held 30 s. Delivery 1 of 10.`,
      path: 'orders',
      sequenceNumber: 7,
      client: WORKER,
    });
    turn(EXPIRED);
    expect(told()).toMatchObject({ title: '2 locks ran out in orders', count: 2 });
    turn({ ...COMPLETED, linkId: 6 });
    turn({ ...COMPLETED, path: 'bills' });
    expect(told()?.count).toBe(2);
    turn(COMPLETED);
    expect(list()).toEqual([]);
  });

  it('of one of three workers is not over when another one completes a message', () => {
    const product = 'azsdk-js-azureservicebus/7.9.5';
    for (const connectionId of [21, 22, 23]) {
      const label = `JavaScript 7.9.5 :${connectionId}`;
      const client = { connectionId, name: `${connectionId}`, product, label };
      stream.connectionOpened(client, { kind: 'connection-opened', transport: 'tcp' });
      stream.linkOpened(connectionId, connectionId);
    }
    turn({ ...EXPIRED, linkId: 21 });
    for (const linkId of [22, 23]) turn({ ...COMPLETED, linkId });
    expect(told()).toMatchObject({ client: { connectionId: 21 } });
    turn({ ...COMPLETED, linkId: 21 });
    expect(list()).toEqual([]);
  });

  it('is over when a receiver with the same identifier completes a message', () => {
    for (const [linkId, client, identifier] of [
      [31, WORKER, 'worker-1'],
      [32, OTHER, 'worker-2'],
      [33, OTHER, 'worker-1'],
    ] as const) {
      stream.linkOpened(linkId, client.connectionId, identifier);
    }
    turn({ ...EXPIRED, linkId: 31 });
    turn({ ...COMPLETED, linkId: 32 });
    expect(list()).toHaveLength(1);
    turn({ ...COMPLETED, linkId: 33 });
    expect(list()).toEqual([]);
  });

  it('of a receiver that has gone is over when any receiver completes a message', () => {
    turn({ ...EXPIRED, path: 'orders/$DeadLetterQueue', linkId: 99 });
    expect(told()).toMatchObject({
      text: expect.stringMatching(/^Its receiver had gone without settling it\./),
      subQueue: 'deadletter',
    });
    turn({ ...COMPLETED, linkId: 6 });
    expect(list()).toEqual([]);
  });

  it.each([0, 24 * 60 * MINUTE, -60 * MINUTE])('is told for 15 minutes with a clock %d ms ahead', (ahead) => {
    aheadMs = ahead;
    turn(EXPIRED);
    now += 15 * MINUTE - 1;
    expect(list()).toHaveLength(1);
    now += 1;
    expect(list()).toEqual([]);
  });

  it('is told no longer when its entity is deleted', () => {
    turn(EXPIRED);
    turn({ kind: 'entity-deleted', entity: 'queue', path: 'orders' });
    expect(list()).toEqual([]);
  });
});

it('a lost session names it, and is over when its receiver completes a message there', () => {
  turn({ kind: 'session-lost', path: 'orders', sessionId: 'C-1', linkId: 5 });
  expect(told()).toMatchObject({
    kind: 'sessions-lost',
    title: "The lock of session 'C-1' of orders ran out",
  });
  turn({ kind: 'session-lost', path: 'orders', sessionId: 'C-2', linkId: 5 });
  expect(told()).toMatchObject({
    title: '2 session locks ran out in orders',
    text: expect.stringMatching(/ The last was of session 'C-2'\.$/),
  });
  turn(COMPLETED);
  expect(list()).toEqual([]);
});

describe('an entity that is missing', () => {
  it('is told with the one that was probably meant, and is over when it is there', () => {
    by(WORKER, NOT_FOUND);
    by(WORKER, { kind: 'token-refused', path: 'Order', reason: 'entity-not-found', text: 'no' });
    expect(told()).toMatchObject({
      kind: 'missing-entity',
      isBad: true,
      title: "'Order' not found",
      text: `Asked for by ${BY}, 2 times. Did you mean 'orders'?`,
      path: 'Order',
      suggestion: 'orders',
    });
    turn({ kind: 'entity-created', entity: 'queue', path: 'order' });
    expect(list()).toEqual([]);
  });

  it('may be one that is there, but not for receivers', () => {
    by(WORKER, { ...NOT_FOUND, path: 'events' });
    expect(told()?.text).toBe(`Asked for by ${BY}. no such entity.`);
    by(WORKER, { ...NOT_FOUND, path: 'somewhere' });
    expect(list().find(({ path }) => path === 'somewhere')?.text).toBe(
      `Asked for by ${BY}. There is no entity of that name.`,
    );
  });
});

describe('a request that is answered 404', () => {
  const origin = { connectionId: undefined, linkId: undefined, program: 'curl/8' };
  const refused = { kind: 'request-refused', method: 'DELETE', status: 404 } as const;

  it('is a refusal if the entity is there: the message or the lock is not', () => {
    const text = 'There is no message 7';
    stream.add({ ...refused, path: 'orders/$DeadLetterQueue', text }, origin);
    expect(told()).toMatchObject({
      kind: 'refused',
      title: "DELETE of 'orders' refused",
      text: 'by hand, curl/8: There is no message 7.',
    });
  });

  it('is of a missing entity if it is not, until it is created', () => {
    stream.add({ ...refused, path: 'order', text: 'no' }, origin);
    expect(told()).toMatchObject({ kind: 'missing-entity', suggestion: 'orders' });
    turn({ kind: 'entity-created', entity: 'queue', path: 'order' });
    expect(list()).toEqual([]);
  });
});

describe('a refusal', () => {
  it.each<[ClientActivity, ClientActivity, string, string]>([
    [
      {
        kind: 'link-refused',
        path: 'orders',
        role: 'receiver',
        condition: 'amqp:not-allowed',
        text: 'It requires sessions. TrackingId:42, SystemTracker:x\n Reference:y',
      },
      { kind: 'link-attached', path: 'orders', role: 'receiver' },
      "Receiver of 'orders' refused",
      'It requires sessions.',
    ],
    [
      { kind: 'token-refused', path: 'orders', reason: 'unauthorized', text: 'It has expired.' },
      { kind: 'token-accepted', path: 'orders', policy: undefined },
      "Token for 'orders' refused",
      `${BY}: It has expired.`,
    ],
    [
      { kind: 'link-detached', path: 'orders', condition: 'amqp:link:detach-forced', text: 'idle' },
      { kind: 'link-attached', path: 'orders', role: 'receiver' },
      'Link of orders detached',
      'idle.',
    ],
  ])('%j is over when that client succeeds', (refusal, success, title, text) => {
    by(WORKER, refusal);
    expect(told()).toMatchObject({ kind: 'refused', title, text, client: WORKER });
    by(OTHER, success);
    expect(list()).toHaveLength(1);
    by(WORKER, success);
    expect(list()).toEqual([]);
  });

  it('is over when a program of the same SDK succeeds after the connection has gone', () => {
    by(WORKER, { kind: 'token-refused', path: 'orders', reason: 'unauthorized', text: 'no' });
    const again = { ...WORKER, connectionId: 9 };
    stream.connectionOpened(again, { kind: 'connection-opened', transport: 'tcp' });
    by(again, { kind: 'token-accepted', path: 'orders', policy: undefined });
    expect(list()).toHaveLength(1);
    stream.connectionClosed(WORKER.connectionId, undefined);
    by(again, { kind: 'token-accepted', path: 'orders', policy: undefined });
    expect(list()).toEqual([]);
  });

  it('is over when the program of that name succeeds, by any connection', () => {
    const named = { ...WORKER, label: 'billing :53412' };
    for (const [connectionId, label] of [
      [7, 'billing :53412'],
      [8, 'shipping :53413'],
      [9, 'billing :53414'],
    ] as const) {
      const client = { ...named, connectionId, label };
      stream.connectionOpened(client, { kind: 'connection-opened', transport: 'tcp' });
    }
    by({ connectionId: 7 }, { kind: 'token-refused', path: 'orders', reason: 'unauthorized', text: 'no' });
    stream.connectionClosed(7, undefined);
    by({ connectionId: 8 }, { kind: 'token-accepted', path: 'orders', policy: undefined });
    expect(list()).toHaveLength(1);
    by({ connectionId: 9 }, { kind: 'token-accepted', path: 'orders', policy: undefined });
    expect(list()).toEqual([]);
  });

  it('of a request over HTTP is over when that program succeeds there', () => {
    const origin = { connectionId: undefined, linkId: undefined, program: 'curl/8' };
    const refused = { kind: 'request-refused', method: 'POST', status: 401, text: 'no token' } as const;
    stream.add({ ...refused, path: 'orders' }, origin);
    expect(told()).toMatchObject({ title: "POST of 'orders' refused", text: 'by hand, curl/8: no token.' });
    const done = { kind: 'http-request', method: 'POST', durationMs: 1 } as const;
    stream.add({ ...done, path: '/orders/messages', status: 401 }, origin);
    stream.add({ ...done, path: '/bills/messages', status: 201 }, origin);
    expect(list()).toHaveLength(1);
    stream.add({ ...done, path: '/orders/messages', status: 201 }, origin);
    expect(list()).toEqual([]);
  });

  it('of a command is told unless another record tells of it', () => {
    const refused = { kind: 'refused', path: 'orders', text: 'No.' } as const;
    for (const reason of ['entity-not-found', 'message-lock-lost', 'quota-exceeded'] as const) {
      turn({ ...refused, command: 'send', reason });
    }
    expect(list()).toEqual([]);
    turn({ ...refused, command: 'renew-lock', reason: 'argument' });
    expect(told()).toMatchObject({ title: 'Renew lock refused in orders', text: 'No.' });
  });

  it('of what never became a connection is told for 15 minutes', () => {
    stream.add({ kind: 'client-refused', text: 'It spoke TLS 1.0' });
    stream.add({ kind: 'client-refused', text: 'It spoke TLS 1.0' });
    expect(told()).toMatchObject({
      kind: 'client-refused',
      title: 'A client was refused, 2 times',
      text: 'It spoke TLS 1.0.',
      path: undefined,
    });
    now += 15 * MINUTE;
    expect(list()).toEqual([]);
  });
});

it('unmatched messages are over when a rule of the topic changes', () => {
  turn({ kind: 'unmatched', path: 'events', sequenceNumber: 5 });
  turn({ kind: 'unmatched', path: 'events', sequenceNumber: 6 });
  expect(told()).toMatchObject({
    title: '2 messages to events matched no rule',
    text: 'No subscription took them; the last was #6. It is not kept: the rules tester says why with one like it.',
  });
  turn({ kind: 'entity-created', entity: 'rule', path: 'events/Subscriptions/eu/Rules/all' });
  expect(list()).toEqual([]);
});

it('a fault is told as one that was asked for', () => {
  by(WORKER, { kind: 'fault-fired', path: 'orders', operation: 'send', effect: 'server-busy', fault: 1 });
  expect(told()).toMatchObject({
    kind: 'fault',
    title: 'Fault on send of orders',
    text: 'server-busy, as asked for.',
  });
});

describe('what the broker has found', () => {
  it('are dead letters with the reason, and the last of them', () => {
    expect(told({ ...NOTHING, deadLetters: [GROUP] })).toEqual({
      key: expect.stringMatching(/^dead-letters orders deadletter /),
      kind: 'dead-letters',
      isBad: true,
      title: '1 dead letter in orders',
      text: 'address. Order 7 has no street. It is #7, by worker/1.',
      path: 'orders',
      subQueue: 'deadletter',
      reason: 'address',
      description: 'Order … has no street',
      count: 1,
      oldestTime: 5,
      newestTime: 5,
      sequenceNumber: 7,
      lastHolder: 'worker/1',
    });
    const description = 'Order … has no street';
    const many = { ...GROUP, reason: 'MaxDeliveryCountExceeded', description, count: 1200 };
    expect(told({ ...NOTHING, deadLetters: [many] })).toMatchObject({
      title: '1,200 dead letters in orders',
      text: 'MaxDeliveryCountExceeded. Order … has no street. The last is #7, last held by worker/1.',
    });
    const failed = { ...GROUP, isTransfer: true, reason: undefined, maskedDescription: undefined };
    expect(told({ ...NOTHING, deadLetters: [{ ...failed, description: undefined }] })).toMatchObject({
      kind: 'forwarding',
      title: '1 failed transfer of orders',
      text: 'Without a reason. It is #7, by worker/1.',
      subQueue: 'transferDeadLetter',
    });
  });

  it('are full entities and messages that wait', () => {
    const full = { path: 'orders', sizeBytes: 2 ** 20, limitBytes: 2 ** 20, accessedTime: 9 };
    const waiting = { path: 'events/Subscriptions/eu', destination: 'orders', count: 2, enqueuedTime: 7 };
    const causes = list({
      deadLetters: [GROUP],
      full: [full],
      waiting: [{ ...waiting, isDeadLetter: true }],
    });
    expect(causes[1]?.text).toBe(
      "'orders' does not take them. It is tried again after 1 s, and after twice as long each time, up to 30 s.",
    );
    expect(causes.map(({ kind, title, newestTime }) => [kind, title, newestTime])).toEqual([
      ['full', 'orders is full', 9],
      ['forwarding', '2 dead letters in events/eu wait for orders', 7],
      ['dead-letters', '1 dead letter in orders', 5],
    ]);
  });
});

it('the newest is the first, also while the clock is frozen', () => {
  now += 60_000;
  aheadMs = -60_000;
  by(WORKER, NOT_FOUND);
  aheadMs += 10_000; // it was moved by hand
  turn(EXPIRED);
  expect(list().map(({ kind, newestTime }) => [kind, newestTime])).toEqual([
    ['locks-run-out', 11_000],
    ['missing-entity', 1000],
  ]);
});

it('the 200 newest causes are kept', () => {
  for (let index = 0; index < 250; index++) {
    stream.add({ kind: 'client-refused', text: `${index}` });
    now += 1;
  }
  stream.add({ kind: 'client-refused', text: '60' });
  expect(list()).toHaveLength(200);
  expect([list()[0]?.text, list()[0]?.count, list().at(-1)?.text]).toEqual(['60.', 2, '50.']);
});

it('nothing is kept before somebody can ask', () => {
  const silent = new ActivityStream({ listen: () => {} }, () => 0);
  silent.add({ kind: 'client-refused', text: 'x' });
  expect(
    silent.causes(NOTHING, { lockDurationMs: () => 0, isThere: () => true, nearest: () => undefined }),
  ).toEqual([]);
});
