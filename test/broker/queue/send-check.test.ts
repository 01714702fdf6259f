// What a message must be to be accepted: ids, properties and sizes, as the tiers have them.

import { describe, expect, it } from 'vitest';
import { LIMITS_OF_TIER, withoutSizes } from '../../../src/broker/contract/limits.js';
import {
  BrokerUnderTest,
  failureOf,
  messageOf,
  messageOfSize,
  newMessage,
  withQueue,
} from '../../support/broker-builders.js';

const KILOBYTE = 1024;

describe('the ids of a message', () => {
  it.each(['messageId', 'sessionId', 'replyToSessionId', 'partitionKey', 'viaPartitionKey'])(
    '%s may have 128 characters, and one more is refused by name [MSG-07, LIM-04]',
    (field) => {
      const bus = withQueue();
      expect(bus.send('orders', messageOf('m', { [field]: 'x'.repeat(128) })).result.kind).toBe('sent');
      const failure = failureOf(bus.send('orders', messageOf('m', { [field]: 'x'.repeat(129) })));
      expect(failure?.reason).toBe('not-allowed');
      expect(failure?.message).toContain(field);
      expect(failure?.message).toContain('129');
      expect(bus.peek('orders')).toHaveLength(1);
    },
  );

  it('a session id is carried by a queue without sessions [SND-07]', () => {
    expect(withQueue().send('orders', messageOf('m', { sessionId: 's' })).result.kind).toBe('sent');
  });
});

describe('the properties of a message', () => {
  it('may take 64 KB in all and 32 KB each [MSG-08, LIM-03]', () => {
    const bus = withQueue();
    const send = (given: Parameters<typeof messageOf>[1]) =>
      failureOf(bus.send('orders', messageOf('m', given)))?.reason ?? 'accepted';
    expect(send({ headBytes: 64 * KILOBYTE })).toBe('accepted');
    expect(send({ headBytes: 64 * KILOBYTE + 1 })).toBe('message-size-exceeded');
    expect(send({ largestPropertyBytes: 32 * KILOBYTE })).toBe('accepted');
    expect(send({ largestPropertyBytes: 32 * KILOBYTE + 1 })).toBe('property-size-exceeded');
  });

  it.each(['list', 'map', 'array'] as const)(
    'a %s among them is refused, with its name and type [SND-16]',
    (type) => {
      const bus = withQueue();
      const failure = failureOf(
        bus.send('orders', messageOf('m', { unsupportedProperty: { name: 'tags', type } })),
      );
      expect(failure?.reason).toBe('not-allowed');
      expect(failure?.message).toContain(`'tags' is a ${type}`);
      expect(bus.peek('orders')).toEqual([]);
    },
  );

  it('a binary among them is refused as the service does it, scheduled too, and says its name [MSG-11]', () => {
    const bus = withQueue();
    const unsupportedProperty = { name: 'hash', type: 'binary' } as const;
    for (const given of [{}, { scheduledEnqueueTime: bus.now + 1000 }]) {
      const failure = failureOf(bus.send('orders', messageOf('m', { ...given, unsupportedProperty })));
      expect(failure?.reason).toBe('message-size-exceeded');
      expect(failure?.message).toMatch(/unsupported type System\.Byte\[\]\. .*'hash'/);
    }
    expect(bus.peek('orders')).toEqual([]);
  });
});

describe('a batch', () => {
  it('may hold 100,000 messages without the limits of a tier, because it is one turn', () => {
    const bus = withQueue({}, { limits: withoutSizes(LIMITS_OF_TIER.premium) });
    const messages = Array.from({ length: 100_001 }, () => messageOf('m'));
    const data = { property: 'messages', value: 100_001, limit: 100_000 };
    expect(bus.send('orders', ...messages).result).toMatchObject({ error: { reason: 'not-allowed', data } });
  });

  it('is refused as a whole for one invalid message [SND-11]', () => {
    const bus = withQueue();
    const bad = messageOf('bad', { messageId: 'x'.repeat(129) });
    expect(bus.send('orders', 'good', bad, 'good too').events).toEqual([]);
    expect(bus.peek('orders')).toEqual([]);
  });
});

describe('the tiers', () => {
  function largestOf(bus: BrokerUnderTest): number {
    const { result } = bus.execute({ kind: 'find-entity', entityPath: 'orders' });
    return result.kind === 'entity' ? result.maxMessageSizeBytes : -1;
  }

  it.each([
    ['basic', 256 * KILOBYTE],
    ['standard', 256 * KILOBYTE],
    ['premium', 1024 * KILOBYTE],
  ] as const)('%s takes messages of up to %i bytes [LIM-01, SND-10]', (tier, bytes) => {
    const bus = withQueue({}, { limits: LIMITS_OF_TIER[tier] });
    expect(largestOf(bus)).toBe(bytes);
    expect(bus.send('orders', messageOfSize(bytes)).result.kind).toBe('sent');
    expect(failureOf(bus.send('orders', messageOfSize(bytes + 1)))?.reason).toBe('message-size-exceeded');
  });

  it('Premium takes up to 100 MB where the queue says so, but a batch of 1 MB [LIM-01, LIM-02, SND-12]', () => {
    const bus = withQueue({ maxMessageSizeInKilobytes: 102_400 }, { limits: LIMITS_OF_TIER.premium });
    expect(bus.send('orders', messageOfSize(3 * 1024 * KILOBYTE)).result.kind).toBe('sent');
    const halves = [messageOfSize(600 * KILOBYTE), messageOfSize(600 * KILOBYTE)];
    expect(failureOf(bus.send('orders', ...halves))?.reason).toBe('message-size-exceeded');
  });

  it('without limits accept any size and count [LIM-01, LIM-02, LIM-03, LIM-04, LIM-05]', () => {
    const bus = withQueue({ maxSizeInMegabytes: 1 }, { limits: withoutSizes(LIMITS_OF_TIER.standard) });
    const large = newMessage(new Uint8Array(2 * 1024 * KILOBYTE), {
      messageId: 'x'.repeat(1000),
      headBytes: 100 * KILOBYTE,
      largestPropertyBytes: 90 * KILOBYTE,
    });
    expect(bus.send('orders', large).result.kind).toBe('sent');
    expect(bus.send('orders', large).result.kind).toBe('sent');
    const many = Array.from({ length: 5000 }, () => messageOf('m'));
    expect(bus.send('orders', ...many).result.kind).toBe('sent');
    expect(
      failureOf(bus.send('orders', messageOf('m', { unsupportedProperty: { name: 'a', type: 'map' } }))),
    ).toBeDefined();
  });

  it('Basic has no sessions and no time to live beyond 14 days', () => {
    const bus = new BrokerUnderTest({ limits: LIMITS_OF_TIER.basic });
    expect(failureOf(bus.putQueue('a', { requiresSession: true }))?.reason).toBe('not-allowed');
    const day = 24 * 3_600_000;
    expect(failureOf(bus.putQueue('a', { defaultMessageTimeToLiveMs: 14 * day + 1 }))?.reason).toBe(
      'argument',
    );
    expect(bus.putQueue('a', { defaultMessageTimeToLiveMs: 14 * day }).result.kind).toBe('entity-info');
    expect(bus.putQueue('b').result.kind).toBe('entity-info');
  });
});
