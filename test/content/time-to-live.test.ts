// How long a sender lets its message live, in all the ways in which senders say so.

import { describe, expect, it } from 'vitest';
import { readMessage } from '../../src/content/read-message.js';
import { hex, list, NULL, str, timestamp, uint, wideLong } from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';

const NOW = 1_763_700_000_000;
const GREATEST_UINT = 2 ** 32 - 1;
/** The greatest times of .NET and of the JavaScript SDK, and the first of their year. */
const LAST_OF_DOTNET = 253_402_300_799_999;
const LAST_OF_JAVASCRIPT = Date.UTC(9999, 11, 31, 7, 59, 59);
const YEAR_9999 = Date.UTC(9999, 0);

type Said = { ttl?: number | Buffer; creation?: number | Buffer; expiry?: number | Buffer };

const encoded = (value: number | Buffer | undefined, encode: (value: number) => Buffer) =>
  typeof value === 'number' ? encode(value) : (value ?? NULL);
const time = (ms: number) => timestamp(BigInt(ms));

function message({ ttl, creation, expiry }: Said): Buffer {
  const nulls = new Array<Buffer>(8).fill(NULL);
  const properties = list([...nulls, encoded(expiry, time), encoded(creation, time)]);
  return Buffer.concat([section(0x70, list([NULL, NULL, encoded(ttl, uint)])), section(0x73, properties)]);
}

const timeToLiveMs = (said: Said) => readMessage(message(said)).timeToLiveMs;

describe('the time to live of a message', () => {
  it.each([
    ['nothing is said', {}, undefined],
    ['a ttl is given', { ttl: 60_000 }, 60_000],
    ['a ttl of 0 is given, which is none [TTL-13]', { ttl: 0 }, undefined],
    ['a ttl of 0 and times are given [TTL-13]', { ttl: 0, creation: NOW, expiry: NOW + 9 }, undefined],
    ['a small ttl is encoded widely', { ttl: hex('70 00000005') }, 5],
    ['the greatest ttl is given alone', { ttl: GREATEST_UINT }, GREATEST_UINT],
    ['a ttl and the times say the same', { ttl: 60_000, creation: NOW, expiry: NOW + 60_000 }, 60_000],
    ['a ttl and the times differ: the ttl counts', { ttl: 5, creation: NOW, expiry: NOW + 9 }, 5],
    ['only the times are given: they are of the sender alone', { creation: NOW, expiry: NOW + 9 }, undefined],
    ['only the times are given, and far apart', { creation: 0, expiry: GREATEST_UINT + 1 }, undefined],
    ['only the times are given, the expiry first', { creation: NOW, expiry: NOW - 9 }, undefined],
    ['the ttl is the greatest and the times are the same', { ttl: GREATEST_UINT, creation: 5, expiry: 5 }, 0],
    ['the ttl is the greatest and the times are nearer', { ttl: GREATEST_UINT, creation: 0, expiry: 9 }, 9],
    ['an expiry stands alone: it is not read', { expiry: NOW + 9 }, undefined],
    ['an expiry stands beside a ttl alone', { ttl: 5, expiry: NOW - 9 }, 5],
    ['a creation time stands alone', { creation: NOW }, undefined],
    ['a creation time stands beside a ttl alone', { ttl: 5, creation: NOW }, 5],
  ] as const)('is right when %s [TTL-01]', (_name, said, expected) => {
    expect(timeToLiveMs(said)).toBe(expected);
  });

  it('is what lies between the times when that is too long for a ttl of 32 bits, whatever the ttl [TTL-01]', () => {
    const expiry = NOW + GREATEST_UINT + 1;
    for (const ttl of [GREATEST_UINT, 17, 0]) {
      expect(timeToLiveMs({ ttl, creation: NOW, expiry })).toBe(GREATEST_UINT + 1);
    }
    expect(timeToLiveMs({ ttl: 17, creation: NOW, expiry: NOW + GREATEST_UINT })).toBe(17);
  });

  it('is negative when the expiry is before the creation, whatever the ttl [TTL-01]', () => {
    for (const ttl of [1, 60_000, GREATEST_UINT]) {
      expect(timeToLiveMs({ ttl, creation: NOW, expiry: NOW - 1 })).toBe(-1);
    }
    expect(timeToLiveMs({ ttl: 1, creation: 1, expiry: -1 })).toBe(-2);
  });

  it('has no limit when the expiry is the last time an SDK knows, and the ttl says nothing else [TTL-01]', () => {
    const ttl = GREATEST_UINT;
    for (const expiry of [LAST_OF_DOTNET, LAST_OF_JAVASCRIPT, YEAR_9999, timestamp(2n ** 63n - 1n)]) {
      expect(timeToLiveMs({ ttl, creation: NOW, expiry })).toBeUndefined();
    }
    expect(timeToLiveMs({ ttl, creation: NOW, expiry: YEAR_9999 - 1 })).toBe(YEAR_9999 - 1 - NOW);
  });

  it.each([
    ['the ttl of the header is not a uint', { ttl: wideLong(5n) }],
    ['the ttl of the header is not a uint', { ttl: hex('5005') }],
    ['a creation-time is not a timestamp', { creation: wideLong(5n) }],
    ['an absolute-expiry-time is not a timestamp', { expiry: str('tomorrow') }],
  ])('is refused when %s [TTL-01]', (problem, said) => {
    expect(() => timeToLiveMs(said)).toThrow(problem);
    expect(() => timeToLiveMs(said)).toThrow(expect.objectContaining({ condition: 'amqp:invalid-field' }));
  });
});
