// Peeking through `$management`: what is shown, in which state, and that it is left alone.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bin, int, list, long, str, TRUE, ubyte, uint, ulong } from '../../support/frame-encoder.js';
import { notation } from '../../support/frame-notation.js';
import { bodyOf, messagesIn } from './management-client.js';
import {
  longItem,
  peekBody,
  Surroundings,
  scheduledMessage,
  sequenceNumberOf,
  textOf,
} from './surroundings.js';

const HOUR = 60 * 60 * 1000;

let given: Surroundings;
beforeEach(async () => {
  given = await Surroundings.open();
});
afterEach(() => given.close());

async function textsFrom(from: number | bigint, count: number): Promise<string[]> {
  const body = { 'from-sequence-number': longItem(from), 'message-count': int(count) };
  const reply = await given.ask('peek-message', body);
  return reply.status === 'int 204' ? [] : messagesIn(reply).map(({ message }) => textOf(message));
}

describe('a peek', () => {
  it('shows active, deferred, scheduled and locked messages, each with its state [PEEK-03]', async () => {
    await given.defer('parked');
    await given.send('held');
    await given.lock();
    await given.send(scheduledMessage('later', given.now + HOUR), 'waiting');
    expect(await given.list()).toEqual([
      'parked deferred 1',
      'held active 2',
      'later scheduled 3',
      'waiting active 4',
    ]);
  });

  it.each([0, -1, -(2n ** 63n)])('from %s starts at the first message', async (from) => {
    await given.send('one', 'two');
    expect(await textsFrom(from, 10)).toEqual(['one', 'two']);
  });

  it.each([3, 2 ** 53, 2n ** 63n - 1n])('from %s, behind the last message, finds nothing', async (from) => {
    await given.send('one', 'two');
    expect(await textsFrom(from, 10)).toEqual([]);
  });

  it('of an entity without messages answers 204, with the condition that the service gives [PEEK-02]', async () => {
    expect(await given.ask('peek-message', peekBody())).toMatchObject({
      status: 'int 204',
      condition: "'com.microsoft:message-not-found",
      body: { type: 'map', value: [] },
    });
  });

  it('gives no lock, and shows no end of a lock [PEEK-05]', async () => {
    await given.send('one', 'two');
    await given.lock();
    const shown = messagesIn(await given.ask('peek-message', peekBody()));
    expect(shown).toHaveLength(2);
    for (const { lockToken, message } of shown) {
      expect(lockToken).toBeUndefined();
      expect(message.entry('messageAnnotations', 'x-opt-lock-token')).toBeUndefined();
      expect(message.entry('messageAnnotations', 'x-opt-locked-until')).toBeUndefined();
    }
  });

  it('gives the message with the bytes it was sent with', async () => {
    const sent = scheduledMessage('exactly so', 0);
    await given.send(sent);
    const [message] = await given.peek();
    expect(sent.includes(message?.bytesOf('properties', 'data') ?? Buffer.of(1, 2))).toBe(true);
  });

  it('takes numbers of any integer type', async () => {
    await given.send('one', 'two');
    for (const from of [long(2), ulong(2), int(2), uint(2), ubyte(2)]) {
      for (const count of [int(1), uint(1), longItem(1), ulong(1)]) {
        const body = { 'from-sequence-number': from, 'message-count': count };
        const [only] = messagesIn(await given.ask('peek-message', body));
        expect(only === undefined ? undefined : sequenceNumberOf(only.message)).toBe(2);
      }
    }
  });

  it.each([
    ['uint', uint(60_000)],
    ['long, as Java says it', longItem(60_000)],
    ['ulong, as Go says it', ulong(60_000)],
    ['string', str('a minute')],
  ])(
    'may come with a server timeout, a %s, and the name of a link, which change nothing',
    async (_, timeout) => {
      const properties = {
        'com.microsoft:server-timeout': timeout,
        'server-timeout': timeout,
        'associated-link-name': str('no link of this name'),
        type: str('entity-mgmt'),
      };
      expect(await given.ask('peek-message', peekBody(), { properties })).toMatchObject({
        status: 'int 204',
      });
    },
  );
});

describe('a peek that leaves out the bodies', () => {
  it('shows messages without them, and says how large they were [PEEK-09]', async () => {
    const text = 'x'.repeat(1000);
    await given.send(text);
    const reply = await given.ask('peek-message', peekBody({ 'omit-message-body': TRUE }));
    const [{ message } = {}] = messagesIn(reply);
    expect(message?.bytesOf('data').length).toBeLessThan(10);
    const size = message?.entry('deliveryAnnotations', 'omitted-message-body-size');
    expect(Number(size?.value)).toBeGreaterThanOrEqual(1000);
    expect(message && sequenceNumberOf(message)).toBe(1);
  });

  it('is not meant by the value false', async () => {
    await given.send('whole');
    const reply = await given.ask('peek-message', peekBody({ 'omit-message-body': Buffer.of(0x42) }));
    expect(messagesIn(reply).map(({ message }) => textOf(message))).toEqual(['whole']);
  });
});

describe('a scheduled message that is peeked', () => {
  it('shows when it was sent and when it will be enqueued', async () => {
    const at = given.now + HOUR;
    const items = list([bodyOf({ message: bin(scheduledMessage('later', at)) })]);
    await given.ask('schedule-message', { messages: items });
    const [message] = await given.peek();
    const annotation = (name: string) => notation(message?.entry('messageAnnotations', name));
    expect(annotation('x-opt-scheduled-enqueue-time')).toBe(`timestamp ${at}`);
    expect(annotation('x-opt-enqueued-time')).toBe(`timestamp ${given.now}`);
    expect(annotation('x-opt-message-state')).toBe('int 2');
  });
});
