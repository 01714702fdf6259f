// The rights of JMS clients under strict authorization: making anything takes the right to manage, and using it does not.

import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  keyOf,
  openSecuredEmulator,
  type PolicyRight,
  type SecuredEmulator,
} from '../security/support/secured-emulator.js';
import type { FrameChannel } from '../support/frame-channel.js';
import { FrameClient } from '../support/frame-client.js';
import { bin, byte, str, sym, ubyte } from '../support/frame-encoder.js';
import { receiverFields } from '../support/frame-fields.js';
import {
  beginSession,
  detachLink,
  openConnection,
  takeDisposition,
  takeRefusal,
  writeDetach,
  writeMessage,
} from '../support/frame-links.js';
import { dataSection, messageAnnotations, propertiesSection } from '../support/frame-message.js';
import { addressIn, attachConsumer, attachCreator, attachProducer, jmsOpen } from '../support/jms-client.js';
import { outcome } from '../support/link-client.js';

const UNAUTHORIZED = {
  condition: 'amqp:unauthorized-access',
  description: expect.stringContaining(
    "Unauthorized access. 'Manage' claim(s) are required to perform this operation.",
  ),
};

let emulator: SecuredEmulator;
beforeEach(async () => {
  emulator = await openSecuredEmulator();
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

async function sessionAs(right: PolicyRight): Promise<FrameChannel> {
  const client = new FrameClient(emulator.pipe());
  client.writeHeader('sasl');
  await client.expectHeader('sasl');
  await client.expect('sasl-mechanisms');
  const policy = `${right}-namespace`;
  const initialResponse = bin(Buffer.from(`\0${policy}\0${keyOf(policy)}`));
  client.send('sasl-init', { mechanism: sym('PLAIN'), initialResponse });
  await client.expect('sasl-outcome');
  return beginSession(await openConnection(client, jmsOpen({ clientId: 'app' })));
}

async function isThere(entityPath: string): Promise<boolean> {
  return (await emulator.engine.ask({ kind: 'find-entity', entityPath })).kind === 'entity';
}

test('a client that may send uses what is there and makes nothing [JMS-11]', async () => {
  const jms = await sessionAs('send');
  expect(
    addressIn(await attachProducer(jms, 0, { address: 'orders', capabilities: ['queue'] }), 'target'),
  ).toBe('orders');
  await attachProducer(jms, 1, { address: 'made', capabilities: ['queue'] });
  expect(await takeRefusal(jms)).toMatchObject(UNAUTHORIZED);
  await attachCreator(jms, 2, 'temporary-queue');
  expect(await takeRefusal(jms)).toMatchObject(UNAUTHORIZED);
  expect(await isThere('made')).toBe(false);
});

test('a browser needs the right to listen, as a consumer does [JMS-38]', async () => {
  const browse = async (right: PolicyRight) => {
    const jms = await sessionAs(right);
    const attach = await attachConsumer(jms, 0, { address: 'orders', capabilities: ['queue'], isCopy: true });
    return { address: addressIn(attach, 'source'), jms };
  };
  expect((await browse('listen')).address).toBe('orders');
  const { jms } = await browse('send');
  expect((await takeRefusal(jms)).description).toContain("'Listen' claim(s) are required");
});

test('an anonymous sender needs the right to send to each entity, and to manage to make it [JMS-11, JMS-21]', async () => {
  const send = async (right: PolicyRight, to: string) => {
    const jms = await sessionAs(right);
    await attachProducer(jms, 0);
    await jms.take('flow');
    const message = Buffer.concat([
      messageAnnotations({ 'x-opt-jms-dest': byte(0) }),
      propertiesSection({ to: str(to) }),
      dataSection('one'),
    ]);
    return outcome(await takeDisposition(jms, writeMessage(jms, 0, message), 'receiver'));
  };
  expect(await send('send', 'orders')).toBe('accepted[]');
  expect(await send('send', 'made')).toContain('amqp:unauthorized-access');
  expect(await send('listen', 'orders')).toContain("'Send' claim(s) are required");
  expect(await send('manage', 'made')).toBe('accepted[]');
});

test('a consumer of a topic needs the right to manage for a new subscription and to unsubscribe [JMS-11, JMS-60]', async () => {
  const shape = { name: 'billing', address: 'news', capabilities: ['topic'], isDurable: true } as const;
  const listening = await sessionAs('listen');
  await attachConsumer(listening, 0, shape);
  expect(await takeRefusal(listening)).toMatchObject(UNAUTHORIZED);
  writeDetach(listening, 0);
  const managing = await sessionAs('manage');
  expect(addressIn(await attachConsumer(managing, 0, shape), 'source')).toBe('news');
  await detachLink(managing, 0);
  expect(addressIn(await attachConsumer(listening, 1, shape), 'source')).toBe('news');
  await detachLink(listening, 1);
  const { source: _, ...sourceless } = receiverFields(2);
  for (const jms of [listening, managing]) {
    jms.send('attach', { ...sourceless, name: str('billing'), sndSettleMode: ubyte(0) });
    await jms.take('attach');
  }
  expect(await takeRefusal(listening)).toMatchObject(UNAUTHORIZED);
  await detachLink(managing, 2);
  expect(await isThere('news/Subscriptions/billing$app$D')).toBe(false);
});
