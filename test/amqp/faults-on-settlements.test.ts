// Faults of settlements on a receiver link, frame by frame: what the client is told, and whether the message is settled.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FaultyEmulator } from '../steer/faulty-emulator.js';
import { type Encoded, int, map, NULL, str, sym, TRUE } from '../support/frame-encoder.js';
import { dispositionFields } from '../support/frame-fields.js';
import { takeDisposition, takeRefusal } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import { applicationProperties, dataSection } from '../support/frame-message.js';
import { LinkClient, outcome } from '../support/link-client.js';

const STATES = {
  complete: composite('accepted'),
  abandon: composite('modified', { deliveryFailed: TRUE }),
  'dead-letter': composite('rejected'),
  defer: composite('modified', { undeliverableHere: TRUE }),
} as const;
/** What is left of the message in the queue. */
const SETTLED = { complete: [], abandon: ['active 1'], 'dead-letter': [], defer: ['deferred 1'] } as const;
const LOCKED = ['locked 0'];

let under: FaultyEmulator;
let client: LinkClient;

beforeEach(async () => {
  under = await FaultyEmulator.open();
  client = await LinkClient.receiving(under.connect(), 1);
  await client.openSender();
});
afterEach(() => under.stop());

/** Sends one more message, and takes it. */
async function receive(message: Encoded = dataSection('a')): Promise<number> {
  client.transfer(message, { settled: true });
  return (await client.take()).deliveryId;
}

function dispose(deliveryId: number, state: Encoded, settled = false): void {
  client.session.send('disposition', dispositionFields(deliveryId, deliveryId, { state, settled }));
}

const answer = async (deliveryId: number) =>
  outcome(await takeDisposition(client.session, deliveryId, 'sender'));

describe.each(['complete', 'abandon', 'dead-letter', 'defer'] as const)('%s', (operation) => {
  test('that fails is rejected with the error, and the message stays locked', async () => {
    under.faults.add({ on: operation, error: 'message-lock-lost' });
    const deliveryId = await receive();
    dispose(deliveryId, STATES[operation]);
    expect(await answer(deliveryId)).toMatch(
      /^rejected\[error\['com\.microsoft:message-lock-lost, "The lock/,
    );
    expect(await under.conditions()).toEqual(LOCKED);
    expect(under.fired).toMatchObject([{ operation, path: 'q' }]);
  });

  test('whose answer is lost is carried out, and never answered', async () => {
    under.faults.add({ on: operation, loseAnswer: true });
    const deliveryId = await receive();
    dispose(deliveryId, STATES[operation]);
    await client.session.expectNothing(['flow', 'transfer']);
    expect(await under.conditions()).toEqual(SETTLED[operation]);
  });
});

describe('a settlement', () => {
  test('can detach its link, and is not carried out', async () => {
    under.faults.add({ on: 'complete', detach: true });
    dispose(await receive(), STATES.complete);
    expect((await takeRefusal(client.session)).condition).toBe('amqp:link:detach-forced');
    expect(await under.conditions()).toEqual(LOCKED);
  });

  test.each([{ close: true }, { reset: true }, { silence: true }] as const)(
    'is not carried out when its connection ends so: %j',
    async (effect) => {
      under.faults.add({ on: 'abandon', ...effect });
      const deliveryId = await receive();
      dispose(deliveryId, STATES.abandon);
      expect(await under.conditions()).toEqual(LOCKED);
      expect(under.fired).toHaveLength(1);
    },
  );

  test('that fails and needs no answer gets none, and the message stays locked', async () => {
    under.faults.add({ on: 'complete', error: 'server-busy' });
    dispose(await receive(), STATES.complete, true);
    await client.session.expectNothing();
    expect(await under.conditions()).toEqual(LOCKED);
  });

  test('that is held back is carried out after its time, with those behind it', async () => {
    under.faults.add({ on: 'complete', delay: 100, times: 1 });
    const first = await receive();
    client.give({ credit: 1, used: 1 });
    const second = await receive();
    dispose(first, STATES.complete);
    dispose(second, STATES.abandon);
    await under.pass(99);
    await client.session.expectNothing();
    expect(await under.conditions()).toEqual(['locked 0', 'locked 0']);
    await under.pass(1);
    expect([await answer(first), await answer(second)]).toEqual([
      'accepted[]',
      expect.stringMatching(/^modified/),
    ]);
    expect(await under.conditions()).toEqual(['active 1']);
  });

  test('that is held back is given up with its link, and the message stays locked', async () => {
    under.faults.add({ on: 'complete', delay: 100 });
    dispose(await receive(), STATES.complete);
    await under.pass(10);
    await client.detach();
    expect([under.timers.delays, await under.conditions()]).toEqual([[], LOCKED]);
  });

  test('is not hit when it releases a message, because clients have no such operation', async () => {
    const fault = under.faults.add({ on: ['complete', 'abandon', 'defer', 'dead-letter'], reset: true });
    dispose(await receive(), composite('released'));
    expect(await under.conditions()).toEqual(['active 0']);
    expect(fault.matchedCount).toBe(0);
  });

  test('is about a message that a match can see, if the fault was there when it was delivered', async () => {
    under.faults.add({ on: 'complete', match: "region = 'EU' AND sys.Label IS NULL", error: 'server-busy' });
    const inRegion = (region: string) =>
      Buffer.concat([applicationProperties({ region: str(region) }), dataSection('x')]);
    const first = await receive(inRegion('US'));
    dispose(first, STATES.complete);
    expect(await answer(first)).toBe('accepted[]');
    client.give({ credit: 1, used: 1 });
    const second = await receive(inRegion('EU'));
    dispose(second, STATES.complete);
    expect(await answer(second)).toMatch(/^rejected\[error\['com\.microsoft:server-busy/);
  });

  test('sees a property that was set or removed when the message was abandoned', async () => {
    under.faults.add({ on: 'complete', match: 'region IS NULL AND step = 2', error: 'server-busy' });
    const message = Buffer.concat([applicationProperties({ region: str('EU') }), dataSection('x')]);
    const first = await receive(message);
    const messageAnnotations = map([
      [sym('region'), NULL],
      [sym('step'), int(2)],
    ]);
    dispose(first, composite('modified', { deliveryFailed: TRUE, messageAnnotations }));
    await answer(first);
    client.give({ credit: 1, used: 1 });
    const { deliveryId } = await client.take();
    dispose(deliveryId, STATES.complete);
    expect(await answer(deliveryId)).toMatch(/^rejected\[error\['com\.microsoft:server-busy/);
  });
});
