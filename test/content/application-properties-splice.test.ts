// The application properties of a delivered message: what was set or removed since it was sent, among the sender's.

import { describe, expect, it } from 'vitest';
import type { PropertyChange } from '../../src/broker/contract/message-properties.js';
import { bin, described, hex, map, NULL, smallUlong, str, sym, uint } from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';
import { deliver, entriesOf } from './delivered.js';

const DATA = section(0x75, bin(hex('01')));

describe('property changes', () => {
  const text = (name: string, value: string): PropertyChange => ({ name, value });

  it('make the application properties when there were none [SET-07]', () => {
    const delivered = deliver(DATA, {
      propertyChanges: [text('DeadLetterReason', 'why'), { name: 'n', value: hex('81 ffffffffffffffff') }],
    });
    expect(entriesOf(delivered, 0x74)).toEqual([
      [str('DeadLetterReason'), str('why')],
      [str('n'), hex('81 ffffffffffffffff')],
    ]);
    expect(delivered.rest).toEqual(DATA);
  });

  it("replace the sender's property in its place and add the others behind [SET-07, MSG-11]", () => {
    const bytes = section(
      0x74,
      map([
        [str('a'), uint(1)],
        [str('b'), uint(2)],
        [str('c'), NULL],
      ]),
    );
    const delivered = deliver(bytes, { propertyChanges: [text('new', 'n'), text('b', 'changed')] });
    expect(entriesOf(delivered, 0x74)).toEqual([
      [str('a'), uint(1)],
      [str('b'), str('changed')],
      [str('c'), NULL],
      [str('new'), str('n')],
    ]);
  });

  it('of the same name follow each other: the last one counts [SET-07]', () => {
    const delivered = deliver(hex(''), { propertyChanges: [text('k', 'first'), text('k', 'last')] });
    expect(entriesOf(delivered, 0x74)).toEqual([[str('k'), str('last')]]);
  });

  it('may be longer than 255 bytes [SET-07]', () => {
    const delivered = deliver(hex(''), { propertyChanges: [text('k', 'é'.repeat(2000))] });
    expect(entriesOf(delivered, 0x74)).toEqual([[str('k'), str('é'.repeat(2000))]]);
  });

  it('leave the application properties as encoded when there are none [MSG-03]', () => {
    const bytes = described(smallUlong(0x74), map([[str('k'), str('v')]]));
    expect(deliver(bytes, { propertyChanges: [] }).head.get(0x74)).toEqual(bytes);
  });

  it('remove a property of exactly their name, and leave the bytes of the others [ACT-01, ACT-03, MSG-11]', () => {
    const [a, B, c] = [
      [str('a'), described(sym('com.microsoft:timespan'), hex('81 0000000000000001'))],
      [str('B'), uint(2)],
      [sym('c'), hex('a1 02 c3a9')],
    ] as const;
    const bytes = Buffer.concat([section(0x74, map([a, B, c], true)), DATA]);
    const remaining = (...names: string[]) => {
      const delivered = deliver(bytes, { propertyChanges: names.map((name) => ({ name, value: null })) });
      expect(delivered.rest).toEqual(DATA);
      return entriesOf(delivered, 0x74);
    };
    expect(remaining('B')).toEqual([a, c]);
    expect(remaining('c')).toEqual([a, B]);
    expect(remaining('a', 'c', 'none')).toEqual([B]);
  });

  it('may set one and remove another [ACT-01]', () => {
    const bytes = section(0x74, map([[str('a'), uint(1)]]));
    const propertyChanges = [{ name: 'a', value: null }, text('RuleName', 'r')];
    expect(entriesOf(deliver(bytes, { propertyChanges }), 0x74)).toEqual([[str('RuleName'), str('r')]]);
  });

  it('let a null be a value: only a removal takes a property away [SET-07, MSG-11]', () => {
    const bytes = section(0x74, map([[str('a'), uint(1)]]));
    const propertyChanges = [{ name: 'a', value: NULL }];
    expect(entriesOf(deliver(bytes, { propertyChanges }), 0x74)).toEqual([[str('a'), NULL]]);
  });

  it('take the section away with its last property, and nothing of what is around it [ACT-01, MSG-01]', () => {
    const properties = section(0x73, hex('45'));
    const bytes = Buffer.concat([properties, section(0x74, map([[str('a'), uint(1)]])), DATA]);
    const delivered = deliver(bytes, { propertyChanges: [{ name: 'a', value: null }] });
    expect([...delivered.head.keys()]).toEqual([0x70, 0x71, 0x72, 0x73]);
    expect(delivered.head.get(0x73)).toEqual(properties);
    expect(delivered.rest).toEqual(DATA);
  });

  it('leave every byte where what they remove is not there [ACT-03, MSG-03]', () => {
    const propertyChanges = [{ name: 'K', value: null }];
    for (const sent of [
      described(sym('amqp:application-properties:map'), map([[str('k'), uint(1)]], true)),
      section(0x74, map([])),
    ]) {
      expect(deliver(Buffer.concat([sent, DATA]), { propertyChanges }).head.get(0x74)).toEqual(sent);
    }
    const without = deliver(DATA, { propertyChanges });
    expect(without.head.has(0x74)).toBe(false);
    expect(without.rest).toEqual(DATA);
  });
});
