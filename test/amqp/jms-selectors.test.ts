// The selectors of JMS 2.0 connections on the wire: how one is known, echoed and refused.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { described, type Encoded, list, map, str, sym, TRUE, ulong } from '../support/frame-encoder.js';
import { receiverFields } from '../support/frame-fields.js';
import { beginSession, openClient, takeRefusal } from '../support/frame-links.js';
import { composite, readList } from '../support/frame-lists.js';
import { notation } from '../support/frame-notation.js';

const BY_NUMBER = ulong(0x0000468c00000004n);
const BY_NAME = sym('apache.org:selector-filter:string');
const NO_LOCAL = described(ulong(0x0000468c00000003n), list([]));
const JMS = { properties: map([[sym('com.microsoft:is-client-provider'), TRUE]]) };

let emulator: EmulatorUnderTest;
beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q'] });
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

async function attachWith(filter: Encoded) {
  const session = await beginSession(await openClient(emulator.connect(), JMS));
  session.send('attach', receiverFields(0, { source: composite('source', { address: str('q'), filter }) }));
  return session;
}

test.each<[string, Encoded]>([
  ['jms-selector', BY_NUMBER],
  ['mine', BY_NAME],
])(
  'a selector is known by its descriptor under the key %s, and echoed as it came, no-local is not [JMS-35, JMS-80]',
  async (key, descriptor) => {
    const filter: Encoded = described(descriptor, str("colour = 'red'"));
    const session = await attachWith(
      map([
        [sym(key), filter],
        [sym('no-local'), NO_LOCAL],
      ]),
    );
    const source = readList((await session.take('attach')).field('source'));
    const echoed = notation(source.field('filter'));
    expect(echoed).toContain(`"colour = 'red'"`);
    expect(echoed).toContain(key);
    expect(echoed).not.toContain('no-local');
  },
);

test.each<[string, Encoded, RegExp]>([
  [
    'one that cannot be parsed [JMS-85]',
    map([[sym('s'), described(BY_NUMBER, str('colour ='))]]),
    /line 1, column 9: found the end/,
  ],
  [
    'two of them [JMS-80]',
    map([
      [sym('s'), described(BY_NUMBER, str('a = 1'))],
      [sym('t'), described(BY_NAME, str('b = 1'))],
    ]),
    /two selectors, 'a = 1' and 'b = 1'/,
  ],
  ['one that is no string [JMS-80]', map([[sym('s'), described(BY_NUMBER, TRUE)]]), /must be a string/],
])('%s is refused as an invalid field', async (_, filter, text) => {
  const refusal = await takeRefusal(await attachWith(filter));
  expect(refusal.condition).toBe('amqp:invalid-field');
  expect(refusal.description).toMatch(text);
});

test('an empty selector is none [JMS-80]', async () => {
  const session = await attachWith(map([[sym('s'), described(BY_NUMBER, str(''))]]));
  const source = readList((await session.take('attach')).field('source'));
  expect(notation(source.field('filter'))).toMatch(/^(null|absent)$/);
});
