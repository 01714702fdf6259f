// The header of a delivered message.

import { describe, expect, it } from 'vitest';
import { NEVER } from '../../src/broker/contract/instant.js';
import { hex, list, NULL, uint } from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';
import { deliver, ENQUEUED_TIME, fieldsOf } from './delivered.js';

const SENT = section(
  0x70,
  list([hex('41'), hex('5009'), hex('70 0001d4c0'), hex('56 01'), hex('70 00000003')]),
);
const headerOf = (bytes: Buffer, broker: Parameters<typeof deliver>[1] = {}) =>
  fieldsOf(deliver(bytes, broker), 0x70);

describe('the header', () => {
  it('is made when there was none, with delivery-count 0 on the first delivery [DLV-01, JMS-24, MSG-10]', () => {
    expect(headerOf(hex(''))).toEqual([NULL, NULL, NULL, NULL, hex('43')]);
  });

  it("keeps the sender's fields and replaces the sender's delivery-count [MSG-06, MSG-10]", () => {
    const kept = [hex('41'), hex('5009'), hex('70 0001d4c0'), hex('56 01')];
    expect(headerOf(SENT, { deliveryCount: 300 })).toEqual([...kept, hex('70 0000012c')]);
  });

  it('has the time to live that applies, the own one of the message or not [TTL-12, MSG-10]', () => {
    for (const timeToLiveMs of [0, 1, 255, 256, 60_000, 2 ** 32 - 1]) {
      const broker = { expiresAt: ENQUEUED_TIME + timeToLiveMs };
      expect(headerOf(hex(''), broker)).toEqual([NULL, NULL, uint(timeToLiveMs), NULL, uint(0)]);
      expect(headerOf(section(0x70, list([hex('41')])), broker)[2]).toEqual(uint(timeToLiveMs));
      expect(headerOf(SENT, broker)).toEqual([
        hex('41'),
        hex('5009'),
        uint(timeToLiveMs),
        hex('56 01'),
        uint(0),
      ]);
    }
  });

  it('has the longest time to live that 32 bits can say when it is longer [TTL-12]', () => {
    for (const timeToLiveMs of [2 ** 32, 10 ** 15]) {
      const broker = { expiresAt: ENQUEUED_TIME + timeToLiveMs };
      expect(headerOf(SENT, broker)[2]).toEqual(uint(2 ** 32 - 1));
      expect(headerOf(hex(''), broker)[2]).toEqual(uint(2 ** 32 - 1));
    }
  });

  it("has the sender's time to live when the message lives for ever [TTL-12]", () => {
    expect(headerOf(SENT, { expiresAt: NEVER })[2]).toEqual(hex('70 0001d4c0'));
    expect(headerOf(hex(''), { expiresAt: NEVER })[2]).toEqual(NULL);
  });

  it('has the time to live that an action has set or cleared where nothing expires [ACT-04, TTL-12]', () => {
    const headerWith = (bytes: Buffer, timeToLiveMs: number | null) =>
      headerOf(bytes, { systemChanges: { timeToLiveMs } });
    const around = (ttl: Buffer) => [hex('41'), hex('5009'), ttl, hex('56 01'), uint(0)];
    expect(headerWith(SENT, null)).toEqual(around(NULL));
    expect(headerWith(SENT, 0)).toEqual(around(uint(0)));
    expect(headerWith(SENT, 60_000)).toEqual(around(uint(60_000)));
    expect(headerWith(SENT, 2 ** 40)).toEqual(around(uint(2 ** 32 - 1)));
    expect(headerWith(hex(''), 60_000)[2]).toEqual(uint(60_000));
    expect(headerOf(SENT, { systemChanges: { to: 'x' } })).toEqual(around(hex('70 0001d4c0')));
  });

  it('has the time to live that is left of it by the limits of the entity [TTL-12]', () => {
    for (const timeToLiveMs of [null, 60_000]) {
      const broker = { systemChanges: { timeToLiveMs }, expiresAt: ENQUEUED_TIME + 1000 };
      expect(headerOf(SENT, broker)[2]).toEqual(uint(1000));
    }
  });
});
