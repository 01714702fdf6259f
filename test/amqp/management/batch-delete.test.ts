// Deleting messages in batches through `$management`.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { int, NULL, timestamp, uint } from '../../support/frame-encoder.js';
import { entryOf } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import type { Body, Reply } from './management-client.js';
import { Surroundings } from './surroundings.js';

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

  it.each([
    ['left out', undefined],
    ['null', NULL],
  ])('without a time, which is %s, deletes all there is', async (_, time) => {
    await given.send('one', 'two');
    expect(countIn(await deleteMessages(10, { 'enqueued-time-utc': time }))).toBe('int 2');
  });

  it('that deletes nothing answers 204, with the condition that the service gives', async () => {
    expect(await deleteMessages(10)).toMatchObject(NOTHING_FOUND);
    await given.send('new');
    const before = { 'enqueued-time-utc': timestamp(-(2n ** 63n)) };
    expect(await deleteMessages(10, before)).toMatchObject(NOTHING_FOUND);
    expect(await given.list()).toEqual(['new active 1']);
  });

  it('takes a count of any integer type', async () => {
    await given.send('one', 'two');
    expect(countIn(await deleteMessages(1, { 'message-count': uint(2) }))).toBe('int 2');
  });
});
