// Transacted sessions of JMS 2.0 connections: across entities and temporary nodes, with a reply that may be too late.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { bin, byte, str, TRUE, timestamp, wideLong } from '../support/frame-encoder.js';
import { detachLink, openClient, takeRefusal, writeDetach } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import { dataSection, messageAnnotations, propertiesSection, section } from '../support/frame-message.js';
import { addressIn, attachConsumer, attachCreator, attachProducer, jmsOpen } from '../support/jms-client.js';
import { inTransaction, LinkClient, outcome } from '../support/link-client.js';

const ACCEPTED = composite('accepted');
const ANONYMOUS = 1;
const CONSUMER = 2;
const CREATOR = 3;
/** Of the coordinator, in `LinkClient`. */
const CONTROL = 100;

let emulator: EmulatorUnderTest;
let client: LinkClient;

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({
    queues: ['a', 'b'],
    topics: [{ name: 't', subscriptions: ['s'] }],
  });
  client = await LinkClient.begin(await openClient(emulator.connect(), jmsOpen()), 0, 'a');
  await client.openControl();
  await attachProducer(client.session, ANONYMOUS);
  await client.session.take('flow');
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

function to(address: string, kind = 0, annotations = {}): Buffer {
  return Buffer.concat([
    messageAnnotations({ 'x-opt-jms-dest': byte(kind), ...annotations }),
    propertiesSection({ to: str(address) }),
    dataSection(`to ${address}`),
  ]);
}

async function send(id: Buffer, message: Buffer): Promise<string> {
  return outcome(await client.answerTo(client.write(ANONYMOUS, message, { state: inTransaction(id) })));
}

async function count(entityPath: string, state: 'active' | 'scheduled' = 'active'): Promise<number> {
  const result = await emulator.engine.ask({ kind: 'get-entity', entityPath });
  return result.kind === 'entity-info' ? result.entity.counts[state] : -1;
}

async function receive(path: string): Promise<{ readonly text: string; readonly deliveryId: number }> {
  await attachConsumer(client.session, CONSUMER, { address: path, capabilities: ['queue'] });
  return client.receive(CONSUMER);
}

test('a transaction receives from one entity and sends to any, all or none [JMS-70, JMS-76]', async () => {
  const first = await client.declare();
  expect(await send(first, to('a'))).toMatch(/^transactional-state\[.*accepted\[\]\]$/);
  expect(await client.commit(first)).toBe('accepted[]');
  const { deliveryId } = await receive('a');
  for (const isFailed of [true, false]) {
    const id = await client.declare();
    if (!isFailed) client.dispose(deliveryId, inTransaction(id, ACCEPTED), { settled: true });
    await send(id, to('b'));
    await send(id, to('t', 1));
    await send(id, to('made'));
    expect([await count('b'), await count('made')]).toEqual([0, 0]);
    expect(isFailed ? await client.rollBack(id) : await client.commit(id)).toBe('accepted[]');
  }
  expect([await count('a'), await count('b'), await count('made'), await count('t/Subscriptions/s')]).toEqual(
    [0, 1, 1, 1],
  );
});

test('the next one is declared before the answer to the last one, and waits for its first use as long as it likes [JMS-71, JMS-72]', async () => {
  const [first, second] = [await client.declare(), await client.declare()];
  emulator.clock.advance(3_600_000);
  await send(second, to('b'));
  await send(first, to('b'));
  expect([await client.commit(first), await client.commit(second)]).toEqual(['accepted[]', 'accepted[]']);
  expect(await count('b')).toBe(2);
});

test('a message that is rolled back comes again at once and counted, up to its dead-letter queue [JMS-73]', async () => {
  await emulator.engine.ask({
    kind: 'put-entity',
    type: 'queue',
    description: { ...(await described('a')), maxDeliveryCount: 2 },
  });
  const sent = await client.declare();
  await send(sent, to('a'));
  await client.commit(sent);
  let { deliveryId } = await receive('a');
  for (const next of [true, false]) {
    const id = await client.declare();
    client.dispose(deliveryId, inTransaction(id, ACCEPTED), { settled: true });
    await client.rollBack(id);
    if (next) ({ deliveryId } = await client.receive(CONSUMER));
  }
  client.credit(CONSUMER);
  await client.expectNone();
  const result = await emulator.engine.ask({ kind: 'get-entity', entityPath: 'a' });
  expect(result).toMatchObject({ entity: { counts: { active: 0, deadLetter: 1 } } });
});

test.each(['detach', 'end', 'close'] as const)(
  'a message that is rolled back in one read with the %s comes again, counted once [JMS-34, JMS-73]',
  async (kind) => {
    const sent = await client.declare();
    await send(sent, to('a'));
    await client.commit(sent);
    const connection = await openClient(emulator.connect(), jmsOpen());
    const jms = await LinkClient.begin(connection, 0, 'a');
    await jms.openControl();
    await attachConsumer(jms.session, CONSUMER, { address: 'a', capabilities: ['queue'] });
    const { deliveryId } = await jms.receive(CONSUMER);
    const id = await jms.declare();
    jms.dispose(deliveryId, inTransaction(id, ACCEPTED), { settled: true });
    jms.credit(CONSUMER);
    connection.inOneWrite(() => {
      jms.write(CONTROL, section('value', composite('discharge', { transactionId: bin(id), fail: TRUE })));
      if (kind === 'detach') writeDetach(jms.session, CONSUMER);
      else if (kind === 'end') jms.session.send('end', {});
      else connection.send('close', {});
    });
    await attachConsumer(client.session, CONSUMER, { address: 'a', capabilities: ['queue'] });
    expect(await client.receive(CONSUMER)).toMatchObject({ text: 'to a', deliveryCount: 1 });
  },
);

async function described(entityPath: string) {
  const result = await emulator.engine.ask({ kind: 'get-entity', entityPath });
  if (result.kind !== 'entity-info' || result.entity.type !== 'queue') throw new Error(entityPath);
  return result.entity.description;
}

test('a reply whose node has gone by the commit is dropped, and one whose sender has gone is not [JMS-74]', async () => {
  const other = await LinkClient.begin(await openClient(emulator.connect(), jmsOpen()), 0);
  const name = addressIn(await attachCreator(other.session, CREATOR, 'temporary-queue'), 'target') ?? '';
  const id = await client.declare();
  await client.openSender(5, name);
  await client.send(5, 'reply', id);
  await client.openSender(6, 'b');
  await client.send(6, 'kept', id);
  await detachLink(client.session, 6);
  await detachLink(other.session, CREATOR);
  await takeRefusal(client.session);
  expect(await client.commit(id)).toBe('accepted[]');
  expect(await count('b')).toBe(1);
});

test('a delayed message is scheduled by the commit [JMS-20, JMS-76]', async () => {
  const id = await client.declare();
  const later = emulator.clock.now() + 60_000;
  await send(id, to('a', 0, { 'x-opt-delivery-time': wideLong(later) }));
  expect(await count('a', 'scheduled')).toBe(0);
  await client.commit(id);
  expect(await count('a', 'scheduled')).toBe(1);
  // What SDKs write goes before it.
  const soon = {
    'x-opt-delivery-time': wideLong(later),
    'x-opt-scheduled-enqueue-time': timestamp(later - 59_000),
  };
  expect(outcome(await client.answerTo(client.write(ANONYMOUS, to('b', 0, soon))))).toBe('accepted[]');
  emulator.clock.advance(1_000);
  await expect.poll(() => count('b', 'scheduled')).toBe(0);
});

test('a commit that is not possible says so, also because of a message that could not be routed [JMS-77]', async () => {
  const id = await client.declare();
  await send(id, to('b'));
  expect(await send(id, to('t', 0))).toContain('amqp:not-allowed');
  expect(await client.commit(id)).toContain('amqp:transaction:rollback');
  expect(await count('b')).toBe(0);
  const global = await client.control(composite('declare', { globalId: TRUE }));
  expect(outcome(global)).toMatch(/^rejected/);
});
