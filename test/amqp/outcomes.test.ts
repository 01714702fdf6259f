// Outcomes on a link: what each delivery state does to the message, and how its client is answered.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { isTrue } from '../support/frame-channel.js';
import { type Encoded, FALSE, map, str, sym, TRUE } from '../support/frame-encoder.js';
import { dispositionFields } from '../support/frame-fields.js';
import { settle } from '../support/frame-links.js';
import { composite, readList } from '../support/frame-lists.js';
import { dataSection, propertiesSection, ReceivedMessage } from '../support/frame-message.js';
import { notation } from '../support/frame-notation.js';
import { LinkClient } from '../support/link-client.js';

const rejected = (condition: string, fields: Readonly<Record<string, Encoded>>) =>
  composite('rejected', { error: composite('error', { condition: sym(condition), ...fields }) });
const REASONS = map([
  [str('DeadLetterReason'), str('too old')],
  [sym('DeadLetterErrorDescription'), str('nobody wants it')],
]);

const STATES = ['active', 'deferred', 'scheduled'];

let emulator: EmulatorUnderTest;
let client: LinkClient;
beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q?lockDuration=PT30S'] });
  client = await LinkClient.sending(emulator.connect(), 'one', 'two', 'three');
  await client.openReceiver();
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

/** The messages that are there, each with its number, its state and how often it was delivered. */
async function listed(path = 'q'): Promise<string[]> {
  const found = await emulator.engine.ask({
    kind: 'peek',
    entityPath: path,
    fromSequenceNumber: 0,
    maxCount: 9,
  });
  if (found.kind !== 'messages') throw new Error(`messages are expected, not ${found.kind}`);
  return found.messages.map(
    ({ properties }) =>
      `${properties.sequenceNumber} ${STATES[properties.state]} ${properties.deliveryCount}`,
  );
}

test.each<[string, Encoded, string, string[]]>([
  ['accepted completes', composite('accepted'), 'accepted', ['2 active 0', '3 active 0']],
  [
    'released gives back, not counted',
    composite('released'),
    'released',
    ['1 active 0', '2 active 0', '3 active 0'],
  ],
  [
    'modified gives back, counted',
    composite('modified', { deliveryFailed: FALSE }),
    'modified',
    ['1 active 1', '2 active 0', '3 active 0'],
  ],
  [
    'modified and undeliverable here defers',
    composite('modified', { undeliverableHere: TRUE }),
    'modified',
    ['1 deferred 1', '2 active 0', '3 active 0'],
  ],
  ['rejected dead-letters', composite('rejected'), 'rejected', ['2 active 0', '3 active 0']],
])('%s, and is answered settled, in kind and without an error [SET-02]', async (_, state, kind, left) => {
  client.give({ credit: 1 });
  const answer = await settle(client.session, (await client.take()).deliveryId, state);
  expect(isTrue(answer, 'settled')).toBe(true);
  expect(readList(answer.field('state')).name).toBe(kind);
  expect(notation(answer.field('state'))).not.toContain('error');
  expect(await listed()).toEqual(left);
});

describe('a dead letter', () => {
  test.each([
    [
      'the reason in a map, as SDKs write it',
      rejected('com.microsoft:dead-letter', { info: REASONS }),
      'too old',
      'nobody wants it',
    ],
    [
      'a plain error, as other clients do',
      rejected('app:bad', { description: str('a comma') }),
      'app:bad',
      'a comma',
    ],
  ])('has as its reason %s [SET-11]', async (_, state, reason, description) => {
    client.give({ credit: 1 });
    await settle(client.session, (await client.take()).deliveryId, state);
    const dead = await LinkClient.open(emulator.connect(), 'q/$DeadLetterQueue');
    await dead.openReceiver();
    dead.give({ credit: 1 });
    const message = new ReceivedMessage((await dead.take()).payload);
    const property = (name: string) => message.entry('applicationProperties', name)?.value;
    expect(property('DeadLetterReason')).toBe(reason);
    expect(property('DeadLetterErrorDescription')).toBe(description);
  });
});

test('many outcomes in one range are answered one by one or in ranges, each exactly once [SET-02]', async () => {
  client.give({ credit: 3 });
  const ids = [
    (await client.take()).deliveryId,
    (await client.take()).deliveryId,
    (await client.take()).deliveryId,
  ];
  const [first = 0, , last = 0] = ids;
  client.session.send('disposition', dispositionFields(first, last, { state: composite('accepted') }));
  const answered: number[] = [];
  while (answered.length < ids.length) {
    const answer = await client.session.take('disposition');
    const from = Number(answer.field('first')?.value);
    for (let id = from; id <= Number(answer.field('last')?.value ?? from); id++) answered.push(id);
  }
  expect(answered).toEqual(ids);
  await client.expectNone();
});

test('what a client settles itself is not answered', async () => {
  client.give({ credit: 1 });
  const { deliveryId } = await client.take();
  const accepted = { state: composite('accepted'), settled: true };
  client.session.send('disposition', dispositionFields(deliveryId, deliveryId, accepted));
  await client.session.expectNothing();
  expect(await listed()).toEqual(['2 active 0', '3 active 0']);
});

test('an outcome after the lock has ended is answered with rejected and the reason [SET-02, SET-06, ERR-02]', async () => {
  client.give({ credit: 1 });
  const { deliveryId } = await client.take();
  emulator.clock.advance(31_000);
  const answer = await settle(client.session, deliveryId, composite('accepted'));
  expect(isTrue(answer, 'settled')).toBe(true);
  const error = readList(readList(answer.field('state')).field('error'));
  expect(notation(error.field('condition'))).toBe("'com.microsoft:message-lock-lost");
  expect(error.field('description')?.value).toMatch(/TrackingId:\S+/);
});

test('a transfer gets one outcome, settled: accepted, or rejected with the reason [SND-02]', async () => {
  client.transfer(dataSection('four'));
  client.transfer(
    Buffer.concat([propertiesSection({ messageId: str('x'.repeat(129)) }), dataSection('five')]),
  );
  const [four, five] = [await client.session.take('disposition'), await client.session.take('disposition')];
  for (const outcome of [four, five]) expect(isTrue(outcome, 'settled')).toBe(true);
  expect(notation(four.field('state'))).toBe('accepted[]');
  expect(notation(five.field('state'))).toMatch(
    /^rejected\[error\['amqp:not-allowed, "The messageId of a message/,
  );
  await client.expectNone();
});
