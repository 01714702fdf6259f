// Scheduling and cancelling through `$management`.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bin, type Encoded, list, map, NULL, str } from '../../support/frame-encoder.js';
import { entryOf } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { bodyOf, type Reply } from './management-client.js';
import { DEAD_LETTERS, longs, Surroundings, scheduledMessage, sequenceNumberOf } from './surroundings.js';

const HOUR = 60 * 60 * 1000;
const NOT_FOUND = { status: 'int 404', condition: "'com.microsoft:message-not-found" };

let given: Surroundings;
beforeEach(async () => {
  given = await Surroundings.open();
});
afterEach(() => given.close());

/** An item as SDKs write it: the fields beside the message repeat what it says itself. */
function item(text: string, at: number | bigint): Encoded {
  return bodyOf({
    'message-id': str(`id of ${text}`),
    message: bin(scheduledMessage(text, at)),
    'partition-key': NULL,
  });
}

function schedule(...items: Encoded[]): Promise<Reply> {
  return given.ask('schedule-message', { messages: list(items) });
}

function cancel(...numbers: number[]): Promise<Reply> {
  return given.ask('cancel-scheduled-message', { 'sequence-numbers': longs(...numbers) });
}

const numbersIn = (reply: Reply) => notation(entryOf(reply.body, 'sequence-numbers'));

describe('scheduling', () => {
  it('answers with an array of longs, in the order of the messages [SCH-01, SCH-04]', async () => {
    await given.send('before');
    const reply = await schedule(item('late', given.now + 2 * HOUR), item('early', given.now + HOUR));
    expect(reply).toMatchObject({ status: 'int 200', condition: 'absent', correlationId: '"request 0"' });
    expect(numbersIn(reply)).toBe('array [long 2, long 3]');
    expect(await given.list()).toEqual(['before active 1', 'late scheduled 2', 'early scheduled 3']);
  });

  it('delivers each message at its time, still with its scheduled time [SCH-02, SCH-03]', async () => {
    const at = given.now + HOUR;
    await schedule(item('later', at));
    given.advance(HOUR - 1);
    expect(await given.list()).toEqual(['later scheduled 1']);
    given.advance(1);
    expect(await given.list()).toEqual(['later active 2']);
    const message = await given.receive();
    expect(notation(message.entry('messageAnnotations', 'x-opt-scheduled-enqueue-time'))).toBe(
      `timestamp ${at}`,
    );
    expect(notation(message.entry('messageAnnotations', 'x-opt-enqueued-time'))).toBe(`timestamp ${at}`);
    expect(notation(message.property('messageId'))).toBe('"id of later"');
  });

  it.each([
    ['now', (now: number) => now],
    ['in the past', (now: number) => now - HOUR],
    ['before 1970', () => -1n],
  ])('for a time %s enqueues at once, and still answers with the number [SCH-05]', async (_, at) => {
    const reply = await schedule(item('late', at(given.now)));
    expect(numbersIn(reply)).toBe('array [long 1]');
    expect(sequenceNumberOf(await given.receive())).toBe(1);
  });

  it('takes any time that can be written [SCH-09]', async () => {
    const reply = await schedule(item('far', 2n ** 63n - 1n), item('year 9999', 253_402_300_799_999));
    expect(numbersIn(reply)).toBe('array [long 1, long 2]');
    given.advance(10 * 365 * 24 * HOUR);
    expect(await given.list()).toEqual(['far scheduled 1', 'year 9999 scheduled 2']);
  });

  it('to a dead-letter queue is not allowed', async () => {
    const body = { messages: list([item('one', given.now + HOUR)]) };
    expect(await given.ask('schedule-message', body, { path: DEAD_LETTERS })).toMatchObject({
      status: 'int 400',
      condition: "'amqp:not-allowed",
    });
  });
});

describe('cancelling', () => {
  beforeEach(() =>
    schedule(
      item('one', given.now + HOUR),
      item('two', given.now + HOUR),
      item('three', given.now + 2 * HOUR),
    ),
  );

  it('deletes the messages under their numbers [SCH-06]', async () => {
    const reply = await cancel(1, 3);
    expect(reply).toMatchObject({ status: 'int 200', condition: 'absent' });
    expect(await given.list()).toEqual(['two scheduled 2']);
    given.advance(2 * HOUR);
    expect(await given.list()).toEqual(['two active 4']);
  });

  it('a message that is cancelled already or unknown fails [SCH-06]', async () => {
    await cancel(1);
    expect(await cancel(1)).toMatchObject(NOT_FOUND);
    expect(await cancel(99)).toMatchObject(NOT_FOUND);
  });

  it.each([
    ['zero', longs(0)],
    ['negative', longs(-1)],
    ['the lowest of all', longs(-(2n ** 63n))],
    ['the highest of all', longs(2n ** 63n - 1n)],
  ])('a number that is %s finds nothing', async (_, numbers) => {
    const reply = await given.ask('cancel-scheduled-message', { 'sequence-numbers': numbers });
    expect(reply).toMatchObject(NOT_FOUND);
    expect(await given.list()).toHaveLength(3);
  });

  it('accepts numbers in a list, of any integer type', async () => {
    const numbers = list([Buffer.from('5301', 'hex'), Buffer.from('5402', 'hex')]);
    const reply = await given.ask('cancel-scheduled-message', map([[str('sequence-numbers'), numbers]]));
    expect(reply).toMatchObject({ status: 'int 200' });
    expect(await given.list()).toEqual(['three scheduled 3']);
  });
});
