// Receivers whose source says `distribution-mode: copy`, through the whole server, frame by frame.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { type FrameChannel, numberOf } from '../support/frame-channel.js';
import { type Encoded, FALSE, map, str, sym, TRUE, ubyte, uint } from '../support/frame-encoder.js';
import { creditFields, dispositionFields, flowFields, LARGE_WINDOW } from '../support/frame-fields.js';
import { openSession, settle } from '../support/frame-links.js';
import { composite, type Fields, readList } from '../support/frame-lists.js';
import { notation } from '../support/frame-notation.js';
import { LinkClient } from '../support/link-client.js';

const HANDLE = 3;
const SUBSCRIPTION = 'news/Subscriptions/all';

let emulator: EmulatorUnderTest;

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({
    queues: ['q', 'sessions?requiresSession=true'],
    topics: [{ name: 'news', subscriptions: ['all'] }],
  });
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

type Source = Fields<'source'>;
type Given = Source & { readonly settleMode?: number };

const UNSETTLED = 0;
const SETTLED = 1;
const MIXED = 2;

function attachFields({ settleMode = UNSETTLED, ...source }: Given): Fields<'attach'> {
  return {
    name: str('a browser'),
    handle: uint(HANDLE),
    role: TRUE,
    sndSettleMode: ubyte(settleMode),
    source: composite('source', { address: str('q'), distributionMode: sym('copy'), ...source }),
    target: composite('target'),
  };
}

/** A browsing link with this credit, on a connection of its own. */
async function browse(given: Given = {}, { credit = 10, drain = false, window = LARGE_WINDOW } = {}) {
  const session = await openSession(emulator.connect(), { incomingWindow: window });
  session.send('attach', attachFields(given));
  const answer = await session.expect('attach');
  session.send('flow', creditFields(HANDLE, credit, { drain, incomingWindow: window }));
  return { session, source: readList(answer.field('source')) };
}

async function texts(session: FrameChannel, count: number): Promise<string[]> {
  const found: string[] = [];
  while (found.length < count) {
    const { payload } = await session.takeDelivery();
    found.push(payload.toString('latin1').match(/(one|two|three)/)?.[0] ?? '');
  }
  return found;
}

describe('a receiver with the distribution mode copy', () => {
  test('sees present and later messages, and takes none [PEEK-12]', async () => {
    const sender = await LinkClient.sending(emulator.connect(), 'one', 'two');
    const { session, source } = await browse();
    expect(notation(source.field('distributionMode'))).toBe("'copy");
    expect(await texts(session, 2)).toEqual(['one', 'two']);
    await sender.sendTexts('three');
    expect(await texts(session, 1)).toEqual(['three']);
    const receiver = await LinkClient.receiving(emulator.connect(), 3);
    for (const text of ['one', 'two', 'three']) {
      expect(await receiver.take()).toMatchObject({ text, deliveryCount: 0 });
    }
  });

  test.each<[string, Encoded, string]>([
    ['accepted', composite('accepted'), 'accepted[]'],
    ['rejected', composite('rejected'), 'rejected[]'],
    ['released', composite('released'), 'released[]'],
    ['modified', composite('modified', { deliveryFailed: TRUE, undeliverableHere: TRUE }), 'modified'],
  ])('may say %s, which is answered and changes nothing [PEEK-12]', async (_, state, answer) => {
    await LinkClient.sending(emulator.connect(), 'one');
    const { session } = await browse();
    const { deliveryId, isSettled } = await session.takeDelivery();
    expect(isSettled).toBe(false);
    expect(notation((await settle(session, deliveryId, state)).field('state'))).toContain(answer);
    session.send('detach', { handle: uint(HANDLE), closed: TRUE });
    await session.take('detach');
    const receiver = await LinkClient.receiving(emulator.connect(), 1);
    expect(await receiver.take()).toMatchObject({ text: 'one', deliveryCount: 0 });
  });

  test('has tags that differ, and is answered at the end of the queue when it drains [CRD-02, PEEK-12]', async () => {
    await LinkClient.sending(emulator.connect(), 'one', 'two');
    const { session } = await browse({}, { credit: 10, drain: true });
    const tags = [await session.takeDelivery(), await session.takeDelivery()].map(({ tag }) =>
      tag.toString('hex'),
    );
    expect(new Set(tags).size).toBe(2);
    const flow = await session.take('flow', (frame) => numberOf(frame, 'deliveryCount') === 10);
    expect(numberOf(flow, 'linkCredit')).toBe(0);
  });

  test('that drains is answered at the end of the messages, and not at the end of the window [JMS-38]', async () => {
    await LinkClient.sending(emulator.connect(), 'one', 'two', 'three');
    const { session } = await browse({}, { drain: true, window: 2 });
    expect(await texts(session, 2)).toEqual(['one', 'two']);
    await session.expectNothing();
    session.send('flow', flowFields({ nextIncomingId: 2 }));
    expect(await texts(session, 1)).toEqual(['three']);
    await session.take('flow', (frame) => numberOf(frame, 'deliveryCount') === 10);
  });

  test('that drains with a window smaller than its credit is answered where the messages end [JMS-38]', async () => {
    await LinkClient.sending(emulator.connect(), 'one');
    const { session } = await browse({}, { drain: true, window: 2 });
    expect(await texts(session, 1)).toEqual(['one']);
    await session.take('flow', (frame) => numberOf(frame, 'deliveryCount') === 10);
  });

  test('that drains with less credit while its window is closed gets no more than that [JMS-38]', async () => {
    const { session } = await browse();
    session.send('flow', creditFields(HANDLE, 1, { drain: true, incomingWindow: 0 }));
    await LinkClient.sending(emulator.connect(), 'one', 'two', 'three');
    await session.expectNothing();
    session.send('flow', flowFields());
    expect(await texts(session, 1)).toEqual(['one']);
    await session.take('flow', (frame) => numberOf(frame, 'deliveryCount') === 1);
    await session.expectNothing();
  });

  test('sees messages that others have locked [JMS-37]', async () => {
    await LinkClient.sending(emulator.connect(), 'one', 'two');
    const receiver = await LinkClient.receiving(emulator.connect(), 1);
    expect((await receiver.take()).text).toBe('one');
    const { session } = await browse();
    expect(await texts(session, 2)).toEqual(['one', 'two']);
  });

  // A QueueBrowser of JMS asks for settled deliveries.
  test.each([
    ['settled', SETTLED],
    ['mixed', MIXED],
  ])('gets settled deliveries, without a tag, in the settle mode %s [JMS-37]', async (_, settleMode) => {
    await LinkClient.sending(emulator.connect(), 'one');
    const { session } = await browse({ settleMode });
    const { isSettled, tag, deliveryId } = await session.takeDelivery();
    expect([isSettled, tag.length]).toEqual([true, 0]);
    session.send('disposition', dispositionFields(deliveryId, deliveryId, { state: composite('accepted') }));
    const receiver = await LinkClient.receiving(emulator.connect(), 1);
    expect((await receiver.take()).text).toBe('one');
  });

  test.each([SUBSCRIPTION, 'q/$DeadLetterQueue', `${SUBSCRIPTION}/$DeadLetterQueue`])(
    'may look into %s [PEEK-12]',
    async (path) => {
      const { session } = await browse({ address: str(path) }, { drain: true });
      await session.take('flow', (frame) => numberOf(frame, 'deliveryCount') === 10);
    },
  );

  test.each<[string, Source, string]>([
    ['where sessions are required', { address: str('sessions') }, 'amqp:not-allowed'],
    [
      'for a session',
      { address: str('sessions'), filter: map([[sym('com.microsoft:session-filter'), str('one')]]) },
      'amqp:not-allowed',
    ],
    ['of a topic', { address: str('news') }, 'amqp:not-found'],
  ])('is refused %s [PEEK-12]', async (_, source, condition) => {
    const session = await openSession(emulator.connect());
    session.send('attach', attachFields(source));
    const detach = await session.take('detach');
    expect(notation(detach.field('error'))).toContain(condition);
  });

  // Qpid JMS says copy, too, of each durable subscription, which is there to be consumed.
  test.each<[string, Source]>([
    ['copy and durable', { durable: uint(2) }],
    ['copy and never expires', { expiryPolicy: sym('never') }],
    ['another mode', { distributionMode: sym('elsewhere') }],
  ])(
    'takes messages like any other if it says %s, and hears of no mode that is not kept',
    async (_, given) => {
      await LinkClient.sending(emulator.connect(), 'one');
      const { session, source } = await browse(given);
      expect(notation(source.field('distributionMode'))).toBe('null');
      const { deliveryId } = await session.takeDelivery();
      session.send('disposition', {
        role: TRUE,
        first: uint(deliveryId),
        settled: FALSE,
        state: composite('accepted'),
      });
      await session.take('disposition');
      const { session: other } = await browse({}, { drain: true });
      const flow = await other.take('flow', (frame) => numberOf(frame, 'deliveryCount') === 10);
      expect(numberOf(flow, 'linkCredit')).toBe(0);
      await other.expectNothing();
    },
  );

  test('is answered with the mode move, which is applied', async () => {
    const { source } = await browse({ distributionMode: sym('move') });
    expect(notation(source.field('distributionMode'))).toBe("'move");
  });
});
