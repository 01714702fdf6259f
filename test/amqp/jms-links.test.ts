// Links that JMS clients open and the service does not offer: what is left out of the answer, and what is refused in words of JMS.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { FrameClient } from '../support/frame-client.js';
import {
  array,
  bin,
  described,
  type Encoded,
  list,
  map,
  str,
  sym,
  TRUE,
  ulong,
} from '../support/frame-encoder.js';
import { receiverFields, senderFields } from '../support/frame-fields.js';
import { openSession, takeRefusal } from '../support/frame-links.js';
import { composite, type Fields, readList } from '../support/frame-lists.js';
import { notation } from '../support/frame-notation.js';

const NO_LOCAL = described(ulong(0x0000468c00000003n), list([]));
const SELECTOR = described(ulong(0x0000468c00000004n), str("colour = 'red'"));

let emulator: EmulatorUnderTest;
beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q'] });
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

function receiverWith(key: string, filter: Encoded): Fields<'attach'> {
  return receiverFields(0, {
    source: composite('source', { address: str('q'), filter: map([[sym(key), filter]]) }),
  });
}

test('a PLAIN response without name and password is turned away with the outcome auth', async () => {
  const client = new FrameClient(emulator.connect());
  client.writeHeader('sasl');
  await client.expectHeader('sasl');
  await client.expect('sasl-mechanisms');
  client.send('sasl-init', { mechanism: sym('PLAIN'), initialResponse: bin(Buffer.from('no nulls')) });
  expect(notation((await client.expect('sasl-outcome')).field('code'))).toBe('ubyte 1');
});

test.each(['no-local', 'mine', 'jms-selector'])(
  'a filter that is not applied is not echoed, and known by its descriptor: no-local under the key %s',
  async (key) => {
    const session = await openSession(emulator.connect());
    session.send('attach', receiverWith(key, NO_LOCAL));
    const source = readList((await session.take('attach')).field('source'));
    expect(notation(source.field('filter'))).toMatch(/^(null|absent|\{\})$/);
  },
);

const dynamic = composite('target', { dynamic: TRUE, capabilities: array([sym('temporary-queue')]) });
const { source: _, ...sourceless } = receiverFields(0);

test.each<[string, Fields<'attach'>, RegExp]>([
  [
    'a selector',
    receiverWith('jms-selector', SELECTOR),
    /^Only JMS 2.0 connections have message selectors.*azure-servicebus-jms/,
  ],
  [
    'a selector under another key',
    receiverWith('mine', SELECTOR),
    /^Only JMS 2.0 connections have message selectors.*azure-servicebus-jms/,
  ],
  [
    'a selector without a descriptor',
    receiverWith('jms-selector', str('a = 1')),
    /^Only JMS 2.0 connections have message selectors.*azure-servicebus-jms/,
  ],
  [
    'a selector with a symbol as its descriptor',
    receiverWith('selector', described(sym('apache.org:selector-filter:string'), str('a = 1'))),
    /^Only JMS 2.0 connections have message selectors.*azure-servicebus-jms/,
  ],
  [
    'a temporary queue',
    senderFields(0, { target: dynamic }),
    /temporary queues .*createTemporaryQueue.*azure-servicebus-jms/,
  ],
  [
    'unsubscribe',
    { ...sourceless, name: str('billing|global') },
    /unsubscribe, which only JMS 2.0 connections can.*azure-servicebus-jms.*administration/,
  ],
  [
    'an anonymous sender',
    senderFields(0, { target: composite('target') }),
    /anonymous links.*azure-servicebus-jms.*open a sender for each/,
  ],
])('%s is refused in words of JMS [JMS-02]', async (_, attach, text) => {
  const session = await openSession(emulator.connect());
  session.send('attach', attach);
  const { condition, description } = await takeRefusal(session);
  expect(condition).toBe('amqp:not-implemented');
  expect(description).toMatch(text);
});
