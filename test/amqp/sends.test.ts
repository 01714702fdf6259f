// Sends through the whole server, frame by frame: many in flight, and those whose sender wants to hear nothing.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MemoryJournal } from '../../src/journal/memory-journal.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { numberOf } from '../support/frame-channel.js';
import { bin, FALSE, str, uint } from '../support/frame-encoder.js';
import { openSession, sendPieces } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import {
  applicationProperties,
  dataSection,
  messageAnnotations,
  propertiesSection,
  section,
} from '../support/frame-message.js';
import { notation } from '../support/frame-notation.js';
import { HeldJournal } from '../support/held-journal.js';
import { LinkClient } from '../support/link-client.js';
import { turns, until } from '../support/rhea-client.js';

const LONG_ID = propertiesSection({ messageId: str('x'.repeat(129)) });

let journal: HeldJournal;
let emulator: EmulatorUnderTest;

beforeEach(async () => {
  journal = new HeldJournal(new MemoryJournal());
  emulator = await openEmulatorUnderTest({ queues: ['q', 'parts?enablePartitioning=true'], journal });
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

/** The delivery-ids that the server has said are accepted, as they come. */
function collectAccepted({ session }: LinkClient): number[] {
  const ids: number[] = [];
  const collect = async () => {
    for (;;) {
      const word = await session.take('disposition');
      expect(notation(word.field('state'))).toBe('accepted[]');
      const first = numberOf(word, 'first') ?? 0;
      for (let id = first; id <= (numberOf(word, 'last') ?? first); id++) ids.push(id);
    }
  };
  // It ends with the connection, or with the patience of the inbox.
  void collect().catch(() => {});
  return ids;
}

async function openSender(): Promise<LinkClient> {
  const client = await LinkClient.open(emulator.connect());
  await client.openSender();
  return client;
}

describe('sends in flight', () => {
  test('are answered one by one when they are durable, and ten do not cost ten writes [SND-03]', async () => {
    const client = await openSender();
    const accepted = collectAccepted(client);
    journal.hold();
    client.transfer(dataSection('first'));
    await until(() => journal.heldCount === 1, 'the first is being written');
    for (let count = 0; count < 10; count++) client.transfer(dataSection(`${count}`));
    await turns();
    expect(accepted).toEqual([]);
    journal.release();
    journal.hold();
    await until(() => accepted.length > 0, 'the first is accepted');
    await until(() => journal.heldCount === 2, 'the others are being written');
    await turns();
    expect(accepted).toEqual([0]);
    journal.release();
    await until(() => accepted.length === 11, 'all are accepted');
    // One write for the ten.
    expect(journal.heldCount).toBe(2);
  });

  test('on one link have their outcomes in the order of the transfers [SND-03]', async () => {
    const client = await openSender();
    const accepted = collectAccepted(client);
    for (let count = 0; count < 300; count++) {
      client.transfer(dataSection(`${count}`));
      if (count % 50 === 0) await turns(3);
    }
    await until(() => accepted.length === 300, 'all are accepted');
    expect(accepted).toEqual(Array.from({ length: 300 }, (_, id) => id));
  });

  test.each<[string, Uint8Array, RegExp]>([
    ['is no AMQP message', Buffer.from('garbage'), /'com.microsoft:argument-error/],
    ['is larger than the tier allows', dataSection('x'.repeat(300_000)), /'amqp:link:message-size-exceeded/],
  ])(
    'and one among them that %s are answered in the order of the transfers [SND-03]',
    async (_, bad, error) => {
      const client = await openSender();
      const { session } = client;
      journal.hold();
      for (const [deliveryId, payload] of [dataSection('a'), bad, bad, dataSection('b'), bad].entries()) {
        client.transfer(payload, { deliveryId });
      }
      await session.expectNothing(['flow']);
      journal.release();
      const words: string[] = [];
      while (words.length < 5) {
        const word = await session.take('disposition');
        words.push(`${numberOf(word, 'first')} ${notation(word.field('state'))}`);
      }
      expect(words.map((word) => word.slice(0, 10))).toEqual([
        '0 accepted',
        '1 rejected',
        '2 rejected',
        '3 accepted',
        '4 rejected',
      ]);
      for (const index of [1, 2, 4]) expect(words[index]).toMatch(error);
    },
  );

  test.each([
    ['bytes', bin(Buffer.of(1)), /'amqp:link:message-size-exceeded.*System\.Byte\[\]/],
    ['more than 32 KB', str('x'.repeat(33_000)), /'amqp:internal-error.*please retry/],
  ])(
    'with a property of %s are rejected as the service does it, alone and in a batch [MSG-11, MSG-08]',
    async (_, value, error) => {
      const { session } = await openSender();
      const message = Buffer.concat([applicationProperties({ one: value }), dataSection('x')]);
      const batch = Buffer.concat([dataSection('good'), message].map((each) => section('data', bin(each))));
      for (const [deliveryId, sent] of [
        { pieces: [message] },
        { pieces: [batch], messageFormat: 0x80013700 },
      ].entries()) {
        const outcome = await sendPieces(session, 0, { ...sent, deliveryId });
        expect(notation(outcome.field('state'))).toMatch(error);
      }
    },
  );

  test('that cannot be stored are rejected at once when nothing is before them', async () => {
    const client = await openSender();
    journal.hold();
    client.transfer(Buffer.from('garbage'));
    expect(notation((await client.session.take('disposition')).field('state'))).toMatch(/^rejected/);
    journal.release();
  });

  test('that wait for others to be rejected count against the credit', async () => {
    const client = await openSender();
    journal.hold();
    client.transfer(dataSection('held'));
    for (let count = 1; count < 1000; count++) client.transfer(Buffer.from('garbage'));
    // No more credit, and no outcome.
    await client.session.expectNothing([]);
    journal.release();
    await client.session.take('flow');
  });

  test('have credit for hundreds at once, and more before that is used up [SND-03]', async () => {
    const session = await openSession(emulator.connect());
    session.send('attach', {
      name: str('a sender'),
      handle: uint(0),
      role: FALSE,
      source: composite('source'),
      target: composite('target', { address: str('q') }),
      initialDeliveryCount: uint(0),
    });
    let limit = 0;
    for (let deliveryId = 0; deliveryId < 3000; deliveryId++) {
      while (deliveryId >= limit) {
        const flow = await session.take('flow', (each) => numberOf(each, 'handle') === 0);
        const credit = numberOf(flow, 'linkCredit') ?? 0;
        if (limit === 0) expect(credit).toBeGreaterThanOrEqual(100);
        limit = (numberOf(flow, 'deliveryCount') ?? 0) + credit;
      }
      const naming = { deliveryId: uint(deliveryId), deliveryTag: bin(Buffer.of(deliveryId & 0xff)) };
      session.send('transfer', { handle: uint(0), ...naming }, { payload: dataSection('x') });
    }
    await session.take('disposition', (word) => (numberOf(word, 'last') ?? numberOf(word, 'first')) === 2999);
  });
});

test.each([
  ['straight', 'parts', {}],
  ['through another', 'q', { 'com.microsoft:transfer-destination-address': str('parts') }],
])(
  'a batch with two partition keys that is sent %s to a partitioned queue is refused with amqp:not-allowed [PRT-06]',
  async (_, path, properties) => {
    const client = await LinkClient.open(emulator.connect());
    const session = client.session;
    await client.openSender(0, path, properties);
    const keyed = (key: string) =>
      Buffer.concat([messageAnnotations({ 'x-opt-partition-key': str(key) }), dataSection('x')]);
    const batchOf = (...keys: string[]) => ({
      pieces: keys.map((key) => section('data', bin(keyed(key)))),
      messageFormat: 0x80013700,
    });
    const refused = await sendPieces(session, 0, { ...batchOf('a', 'b'), deliveryId: 0 });
    expect(notation(refused.field('state'))).toMatch(
      /^rejected\[error\['amqp:not-allowed, "Batching brokered messages with distinct SessionId or PartitionKey/,
    );
    const accepted = await sendPieces(session, 0, { ...batchOf('a', 'a'), deliveryId: 1 });
    expect(notation(accepted.field('state'))).toBe('accepted[]');
  },
);

test('a large message in several frames lies in memory of its size, and a journal in memory keeps that without a copy', async () => {
  const client = await openSender();
  const submit = vi.spyOn(emulator.engine, 'submit');
  const append = vi.spyOn(journal, 'append');
  await client.answerTo(client.transfer(dataSection('x'.repeat(70_000))));
  const sent = submit.mock.calls.flatMap(([command]) => (command.kind === 'send' ? command.messages : []));
  const stored = append.mock.calls
    .flatMap(([events]) => events)
    .find(({ kind }) => kind === 'content-stored');
  const content = stored?.kind === 'content-stored' ? stored.content : undefined;
  expect(content?.buffer.byteLength).toBe(dataSection('x'.repeat(70_000)).length);
  expect(content?.buffer).toBe(sent[0]?.content.buffer);
});

describe('a message that comes settled', () => {
  test('is stored, and its sender hears nothing of it [SND-05]', async () => {
    const client = await openSender();
    client.transfer(dataSection('settled'), { settled: true });
    await client.session.expectNothing();
    const receiver = await LinkClient.receiving(emulator.connect(), 1);
    expect((await receiver.take()).text).toBe('settled');
    await client.session.expectNothing();
  });

  test.each<[string, Uint8Array, number]>([
    ['is no AMQP message', Buffer.from('garbage'), 0],
    ['has an unknown format', dataSection('x'), 77],
    ['is a batch with something that is no message', Buffer.from('005375a00161', 'hex'), 0x80013700],
    ['has an id that is too long', Buffer.concat([LONG_ID, dataSection('x')]), 0],
    ['is larger than the tier allows', dataSection('x'.repeat(300_000)), 0],
  ])('and %s is dropped without a word, and the link stays [SND-05]', async (_, payload, messageFormat) => {
    const client = await openSender();
    client.transfer(payload, { settled: true, messageFormat });
    await client.session.expectNothing();
    await client.sendTexts('good');
    const receiver = await LinkClient.receiving(emulator.connect(), 10);
    expect((await receiver.take()).text).toBe('good');
    await receiver.expectNone();
  });

  test('gives its credit back, or thousands could not come in one row', async () => {
    const client = await openSender();
    // More than the first credit and what is let pass beyond it.
    for (let count = 0; count < 2500; count++) {
      client.transfer(dataSection(`${count}`), { settled: true });
      if (count % 500 === 0) await turns(10);
    }
    const texts: string[] = [];
    for (let from = 0; from < 2500; from += 500) {
      const receiver = await LinkClient.receiving(emulator.connect(), 500);
      texts.push(...(await receiver.takeTexts(500)));
    }
    expect(texts).toEqual(Array.from({ length: 2500 }, (_, index) => `${index}`));
    await client.session.expectNothing();
  });

  test('gets no answer, while others on the same link do [SND-05]', async () => {
    const client = await openSender();
    const accepted = collectAccepted(client);
    for (let id = 0; id < 6; id++) client.transfer(dataSection(`${id}`), { settled: id % 2 === 0 });
    await until(() => accepted.length >= 3, 'the outcomes came');
    await turns();
    expect(accepted).toEqual([1, 3, 5]);
    const receiver = await LinkClient.receiving(emulator.connect(), 6);
    expect(await receiver.takeTexts(6)).toEqual(['0', '1', '2', '3', '4', '5']);
  });
});
