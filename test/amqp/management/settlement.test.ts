// Settling and renewing through `$management`, by lock token, when the link that the message came on is closed.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Encoded,
  fixed,
  list,
  map,
  NULL,
  str,
  sym,
  timestamp,
  uuid,
} from '../../support/frame-encoder.js';
import { entryOf, section } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import type { Body } from './management-client.js';
import { DEAD_LETTERS, deliveryCountOf, LOCK_MS, Surroundings, textOf, uuids } from './surroundings.js';

const LOCK_LOST = { status: 'int 410', condition: "'com.microsoft:message-lock-lost" };

let given: Surroundings;
beforeEach(async () => {
  given = await Surroundings.open();
});
afterEach(() => given.close());

const settling = (status: string, ...tokens: Buffer[]): Body => ({
  'lock-tokens': uuids(...tokens),
  'disposition-status': str(status),
});

describe('a message that was locked on a link now closed', () => {
  it('is completed by its token [SET-08, LNK-01]', async () => {
    await given.send('one');
    const { token } = await given.lock();
    await given.settle('completed', token);
    expect(await given.list()).toEqual([]);
  });

  it('is abandoned by its token [SET-08, LNK-01]', async () => {
    await given.send('one');
    await given.settle('abandoned', (await given.lock()).token);
    const { message } = await given.lock();
    expect([textOf(message), deliveryCountOf(message)]).toEqual(['one', 1]);
  });

  it.each(['defered', 'deferred'])(
    'is deferred by its token, with the status %s [SET-08, LNK-01]',
    async (status) => {
      await given.send('one');
      await given.settle(status, (await given.lock()).token);
      expect(await given.list()).toEqual(['one deferred 1']);
    },
  );

  it('is dead-lettered by its token, with reason and description [SET-08, LNK-01, DLQ-05]', async () => {
    await given.send('one');
    const fields = { 'deadletter-reason': str('TooOld'), 'deadletter-description': str('nobody wants it') };
    await given.settle('suspended', (await given.lock()).token, { fields });
    expect(await given.list()).toEqual([]);
    const message = await given.receive(DEAD_LETTERS);
    expect(textOf(message)).toBe('one');
    expect(propertiesOf(message)).toEqual({
      DeadLetterReason: '"TooOld"',
      DeadLetterErrorDescription: '"nobody wants it"',
    });
  });

  it('has no reason when the reason is null, as Python sends it', async () => {
    await given.send('one');
    const fields = {
      'deadletter-reason': NULL,
      'deadletter-description': NULL,
      'properties-to-modify': NULL,
    };
    await given.settle('suspended', (await given.lock()).token, { fields });
    expect((await given.receive(DEAD_LETTERS)).section('applicationProperties')).toBeUndefined();
  });

  it('is renewed by its token, and then settled after its first lock would have ended [SET-08, LNK-01]', async () => {
    await given.send('one');
    const { token } = await given.lock();
    given.advance(LOCK_MS - 1);
    const reply = await given.ask('renew-lock', { 'lock-tokens': uuids(token) });
    expect(reply.status).toBe('int 200');
    expect(notation(entryOf(reply.body, 'expirations'))).toBe(`array [timestamp ${given.now + LOCK_MS}]`);
    given.advance(LOCK_MS - 1);
    await given.settle('completed', token);
  });

  it('cannot be settled twice [SET-06]', async () => {
    await given.send('one');
    const { token } = await given.lock();
    await given.settle('completed', token);
    expect(await given.ask('update-disposition', settling('completed', token))).toMatchObject(LOCK_LOST);
  });
});

describe('several tokens in one request', () => {
  it('are all settled', async () => {
    await given.send('one', 'two', 'three');
    const tokens = [(await given.lock()).token, (await given.lock()).token];
    expect(await given.ask('update-disposition', settling('completed', ...tokens))).toMatchObject({
      status: 'int 200',
    });
    expect(await given.list()).toEqual(['three active 3']);
  });

  it('are all renewed, and answered with an array of timestamps in their order [RCV-08]', async () => {
    await given.send('one', 'two');
    const tokens = [(await given.lock()).token, (await given.lock()).token];
    given.advance(1000);
    const reply = await given.ask('renew-lock', { 'lock-tokens': uuids(...tokens) });
    const until = `timestamp ${given.now + LOCK_MS}`;
    expect(notation(entryOf(reply.body, 'expirations'))).toBe(`array [${until}, ${until}]`);
  });

  it('may be a list instead of an array', async () => {
    await given.send('one');
    const { token } = await given.lock();
    await given.settle('completed', token, { fields: { 'lock-tokens': list([uuid(token)]) } });
  });
});

describe('properties to modify', () => {
  /** With types that a decoding and encoding again would change: .NET's TimeSpan, a decimal, a wide long. */
  const VALUES: Readonly<Record<string, Encoded>> = {
    text: str('new'),
    span: Buffer.concat([Buffer.of(0), sym('com.microsoft:timespan'), fixed(0x81, Buffer.alloc(8, 1))]),
    decimal: fixed(0x94, Buffer.alloc(16, 9)),
    long: fixed(0x81, Buffer.from('0000000000000001', 'hex')),
    time: timestamp(1_767_225_600_000),
    nothing: NULL,
  };
  const fields = {
    'properties-to-modify': map(Object.entries(VALUES).map(([key, value]) => [str(key), value])),
  };
  const EXPECTED = section('applicationProperties', fields['properties-to-modify']);

  it.each([
    ['abandoned', 'an abandon'],
    ['defered', 'a defer'],
    ['suspended', 'a dead-letter'],
  ])('given with %s are on the message after %s, each in the bytes it came in [SET-07]', async (status) => {
    await given.send('one');
    await given.settle(status, (await given.lock()).token, { fields });
    const [message] = await given.peek(status === 'suspended' ? DEAD_LETTERS : undefined);
    expect(itemsOfMap(message?.bytesOf('applicationProperties'))).toBe(itemsOfMap(EXPECTED));
  });

  it('are overridden by the reason in its own field', async () => {
    await given.send('one');
    const reason = { 'properties-to-modify': map([[str('DeadLetterReason'), str('among the properties')]]) };
    await given.settle('suspended', (await given.lock()).token, {
      fields: { ...reason, 'deadletter-reason': str('in its field') },
    });
    expect(propertiesOf(await given.receive(DEAD_LETTERS))).toEqual({ DeadLetterReason: '"in its field"' });
  });
});

describe('in the dead-letter queue', () => {
  it('messages are completed, abandoned and deferred through its own node [SET-12]', async () => {
    const statuses = ['completed', 'defered', 'abandoned'];
    for (const status of statuses) await given.deadLetter(status);
    for (const status of statuses) {
      const { token, message } = await given.lock(DEAD_LETTERS);
      expect(textOf(message)).toBe(status);
      await given.settle(status, token, { path: DEAD_LETTERS });
    }
    expect(await given.list(DEAD_LETTERS)).toEqual(['defered deferred 2', 'abandoned active 3']);
  });

  it('a message cannot be dead-lettered again, and is available at once [DLQ-08]', async () => {
    await given.deadLetter('one');
    const { token } = await given.lock(DEAD_LETTERS);
    const reply = await given.ask('update-disposition', settling('suspended', token), { path: DEAD_LETTERS });
    expect(reply).toMatchObject({ status: 'int 400', condition: "'amqp:not-allowed" });
    const { message } = await given.lock(DEAD_LETTERS);
    expect([textOf(message), deliveryCountOf(message)]).toEqual(['one', 0]);
  });
});

function propertiesOf(message: Awaited<ReturnType<Surroundings['receive']>>): Record<string, string> {
  const properties = message.section('applicationProperties')?.value;
  if (properties?.type !== 'map') return {};
  return Object.fromEntries(properties.value.map(([key, value]) => [String(key.value), notation(value)]));
}

/** The bytes of a map section's items, whichever width its size has. */
function itemsOfMap(bytes: Buffer | undefined): string {
  if (bytes === undefined) return 'nothing';
  return bytes.subarray(bytes[3] === 0xd1 ? 12 : 6).toString('hex');
}
