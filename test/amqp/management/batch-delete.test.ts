// Deleting messages in batches through `$management`.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { int, NULL, timestamp, uint } from '../../support/frame-encoder.js';
import { entryOf } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import type { Body, Reply } from './management-client.js';
import { DEAD_LETTERS, Surroundings, scheduledMessage } from './surroundings.js';

const HOUR = 60 * 60 * 1000;
const NOTHING_FOUND = { status: 'int 204', condition: "'com.microsoft:message-not-found" };

let given: Surroundings;
beforeEach(async () => {
  given = await Surroundings.open();
});
afterEach(() => given.close());

function deleteMessages(count: number, fields: Body = {}, path?: string): Promise<Reply> {
  const body = { 'message-count': int(count), 'enqueued-time-utc': timestamp(given.now + 1), ...fields };
  return given.ask('batch-delete-messages', body, path === undefined ? {} : { path });
}

const countIn = ({ body }: Reply) => notation(entryOf(body, 'message-count'));

describe('a batch delete', () => {
  it('deletes the oldest messages up to the count, and says how many as an int [DEL-01]', async () => {
    await given.send('one', 'two', 'three');
    const reply = await deleteMessages(2);
    expect(reply).toMatchObject({ status: 'int 200', condition: 'absent' });
    expect(countIn(reply)).toBe('int 2');
    expect(await given.list()).toEqual(['three active 3']);
    expect(countIn(await deleteMessages(2))).toBe('int 1');
  });

  it('deletes what was enqueued before the given time, and not at it [DEL-01]', async () => {
    await given.send('old');
    given.advance(1000);
    await given.send('new');
    expect(countIn(await deleteMessages(10, { 'enqueued-time-utc': timestamp(given.now) }))).toBe('int 1');
    expect(await given.list()).toEqual(['new active 2']);
  });

  it.each([
    ['left out', undefined],
    ['null', NULL],
  ])('without a time, which is %s, deletes all there is', async (_, time) => {
    await given.send('one', 'two');
    expect(countIn(await deleteMessages(10, { 'enqueued-time-utc': time }))).toBe('int 2');
  });

  it('of nothing answers 204, with the condition that the service gives', async () => {
    expect(await deleteMessages(10)).toMatchObject(NOTHING_FOUND);
    await given.send('new');
    const before = { 'enqueued-time-utc': timestamp(-(2n ** 63n)) };
    expect(await deleteMessages(10, before)).toMatchObject(NOTHING_FOUND);
    expect(await given.list()).toEqual(['new active 1']);
  });

  it('leaves locked messages and scheduled ones, and deletes deferred ones [DEL-01, DEL-02]', async () => {
    await given.defer('deferred');
    await given.send('locked', scheduledMessage('scheduled', given.now + HOUR), 'active');
    await given.lock();
    expect(countIn(await deleteMessages(10))).toBe('int 2');
    expect(await given.list()).toEqual(['locked active 2', 'scheduled scheduled 3']);
  });

  it('of the dead-letter queue deletes there [DEL-01]', async () => {
    await given.deadLetter('dead');
    await given.send('alive');
    expect(countIn(await deleteMessages(10, {}, DEAD_LETTERS))).toBe('int 1');
    expect(await given.list()).toEqual(['alive active 2']);
    expect(await given.list(DEAD_LETTERS)).toEqual([]);
  });

  it('deletes no more than 500 at once, however many are requested [LIM-17]', async () => {
    await given.send(...Array.from({ length: 501 }, (_, index) => `m${index}`));
    expect(countIn(await deleteMessages(2_147_483_647))).toBe('int 500');
    expect(await given.list()).toEqual(['m500 active 501']);
  });

  it('takes a count of any integer type', async () => {
    await given.send('one', 'two');
    expect(countIn(await deleteMessages(1, { 'message-count': uint(2) }))).toBe('int 2');
  });

  it('of a partitioned queue is not allowed [DEL-01]', async () => {
    await given.close();
    given = await Surroundings.open({ queues: ['orders?enablePartitioning=true'] });
    await given.send('one');
    expect(await deleteMessages(10)).toMatchObject({ status: 'int 400', condition: "'amqp:not-allowed" });
    expect(await given.peek()).toHaveLength(1);
  });
});
