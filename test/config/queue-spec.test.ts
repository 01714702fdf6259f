// Queue specs: every property, its range, and the one message each mistake gets.

import { expect, test } from 'vitest';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import { parseQueueSpec } from '../../src/config/given-queue.js';
import { QUEUE_PROPERTIES } from '../../src/description/entity-properties.js';

test('a name alone describes a queue with the defaults of Azure', () => {
  expect(parseQueueSpec('orders')).toEqual(describeQueue('orders'));
});

test('every property of a queue but a list can be given in its spec', () => {
  const spec = [
    'lockDuration=PT5S',
    'maxDeliveryCount=3',
    'maxSizeInMegabytes=2048',
    'maxMessageSizeInKilobytes=512',
    'requiresSession=true',
    'requiresDuplicateDetection=true',
    'duplicateDetectionHistoryTimeWindow=PT1M',
    'defaultMessageTimeToLive=P1D',
    'deadLetteringOnMessageExpiration=true',
    'enableBatchedOperations=false',
    'enablePartitioning=true',
    'enableExpress=true',
    'status=SendDisabled',
    'autoDeleteOnIdle=PT10M',
    'forwardTo=audit',
    'forwardDeadLetteredMessagesTo=graveyard',
    'userMetadata=owner%3A%20me%2C%20you',
  ];
  const expected = {
    name: 'orders',
    lockDurationMs: 5_000,
    maxDeliveryCount: 3,
    maxSizeInMegabytes: 2048,
    maxMessageSizeInKilobytes: 512,
    requiresSession: true,
    requiresDuplicateDetection: true,
    duplicateDetectionHistoryTimeWindowMs: 60_000,
    defaultMessageTimeToLiveMs: 86_400_000,
    deadLetteringOnMessageExpiration: true,
    enableBatchedOperations: false,
    enablePartitioning: true,
    enableExpress: true,
    status: 'SendDisabled',
    autoDeleteOnIdleMs: 600_000,
    forwardTo: 'audit',
    forwardDeadLetteredMessagesTo: 'graveyard',
    userMetadata: 'owner: me, you',
    authorizationRules: [],
    otherProperties: undefined,
  };
  expect(parseQueueSpec(`orders?${spec.join('&')}`)).toEqual(expected);
});

test('the table of properties knows every field of a queue description', () => {
  const fields = Object.keys(describeQueue('orders')).filter(
    (field) => !['name', 'otherProperties'].includes(field),
  );
  expect(QUEUE_PROPERTIES.map(({ field }) => field).sort()).toEqual(fields.sort());
});

test('property names, truth values and statuses are read in any case', () => {
  const { lockDurationMs, requiresSession, status } = parseQueueSpec(
    'orders?LOCKDURATION=PT5S&RequiresSession=True&status=senddisabled',
  );
  expect({ lockDurationMs, requiresSession, status }).toEqual({
    lockDurationMs: 5_000,
    requiresSession: true,
    status: 'SendDisabled',
  });
});

test('the longest duration of .NET means that messages never expire', () => {
  const queue = parseQueueSpec('orders?defaultMessageTimeToLive=P10675199DT2H48M5.4775807S');
  expect(queue.defaultMessageTimeToLiveMs).toBe(NEVER);
});

test('of a URL to forward to, the name is kept', () => {
  expect(parseQueueSpec('orders?forwardTo=sb://localhost:5672/audit/all').forwardTo).toBe('audit/all');
});

test('an empty forwarding target is none', () => {
  expect(parseQueueSpec('orders?forwardTo=').forwardTo).toBeUndefined();
});

test.each([
  'a',
  'A1',
  'queue.1',
  'sales/orders_2024-eu',
  'input~1',
  'Fault--Ns/Type--',
  '-_.~',
  '.a/b.',
  'x'.repeat(260),
])('"%s" can be the name of a queue, and becomes lower case [ENT-01, ENT-02]', (name) => {
  expect(parseQueueSpec(name).name).toBe(name.toLowerCase());
});

test.each([
  '',
  '/orders',
  'orders/',
  'a//b',
  '..',
  'a/../b',
  'a/...',
  './a',
  'a b',
  'a@b',
  'a#b',
  'a*b',
  'a\\b',
  '$management',
  'größe',
])('"%s" cannot be the name of a queue [ENT-01]', (name) => {
  expect(() => parseQueueSpec(name)).toThrow(
    `Queue ${JSON.stringify(name)}: its name must hold only A-Z, a-z, 0-9, "-", "_", ".", "~" and "/", ` +
      `with no part that is empty or has only dots, not ${JSON.stringify(name)}`,
  );
});

test('a name that reads like the path of a subscription names a queue', () => {
  expect(parseQueueSpec('a/Subscriptions/b').name).toBe('a/subscriptions/b');
});

test('a name of more than 260 characters is refused [ENT-01]', () => {
  expect(() => parseQueueSpec('x'.repeat(261))).toThrow(
    'its name must have at most 260 characters, but it has 261',
  );
});

test.each([
  ['lockDuration=PT0S', 'lockDuration must be more than PT0S, not "PT0S"'],
  ['lockDuration=PT5M1S', 'lockDuration must be at most PT5M, not "PT5M1S"'],
  [
    'lockDuration=30',
    'lockDuration must have a unit: 30 would be 30 ms. Write PT30S for 30 s, or PT0.03S for 30 ms',
  ],
  ['lockDuration=30s', 'lockDuration must be a duration such as PT30S, P1DT12H or 00:05:00, not "30s"'],
  ['lockDuration=300001', 'lockDuration must be at most PT5M, not 300001'],
  ['maxDeliveryCount=0', 'maxDeliveryCount must be a whole number from 1 to 2147483647, not 0'],
  ['maxDeliveryCount=1.5', 'maxDeliveryCount must be a whole number from 1 to 2147483647, not "1.5"'],
  ['maxDeliveryCount=', 'maxDeliveryCount must be a whole number from 1 to 2147483647, not ""'],
  ['maxSizeInMegabytes=81921', 'maxSizeInMegabytes must be a whole number from 1 to 81920, not 81921'],
  [
    'maxMessageSizeInKilobytes=102401',
    'maxMessageSizeInKilobytes must be a whole number from 1 to 102400, not 102401',
  ],
  ['requiresSession=yes', 'requiresSession must be true or false, not "yes"'],
  [
    'duplicateDetectionHistoryTimeWindow=PT4S',
    'duplicateDetectionHistoryTimeWindow must be at least PT5S, not "PT4S"',
  ],
  [
    'duplicateDetectionHistoryTimeWindow=P8D',
    'duplicateDetectionHistoryTimeWindow must be at most P7D, not "P8D"',
  ],
  ['defaultMessageTimeToLive=PT0.5S', 'defaultMessageTimeToLive must be at least PT1S, not "PT0.5S"'],
  ['autoDeleteOnIdle=PT1M', 'autoDeleteOnIdle must be at least PT5M, not "PT1M"'],
  [
    'status=Deleting',
    'status must be one of Active, Disabled, SendDisabled, ReceiveDisabled, not "Deleting"',
  ],
  [`userMetadata=${'x'.repeat(1025)}`, 'userMetadata must be at most 1024 characters long, but it has 1025'],
  ['lockDuration=PT5S&lockduration=PT6S', 'lockDuration is given twice'],
  ['lockDurtion=PT5S', `there is no property "lockDurtion". Did you mean 'lockDuration'?`],
  ['colour=red', 'there is no property "colour".'],
])('the spec orders?%s is refused: %s', (query, message) => {
  const spec = `orders?${query}`;
  expect(() => parseQueueSpec(spec)).toThrow(`Queue ${JSON.stringify(spec)}: ${message}`);
});

test.each([
  ['a,b', true],
  ['a?requiresSession=true,b?requiresSession=true', true],
  ['a?requiresSession=true, b', true],
  ['a?lockDuration=PT5S,b,c', true],
  ['a?colour=red', false],
  ['a?userMetadata=x,y&lockDuration=soon', false],
])('several queues in one spec are refused with a hint to repeat --queue: %s, %s', (spec, isHinted) => {
  const problems = isHinted ? ['For several queues, repeat --queue:  --queue a --queue b'] : [];
  expect(() => parseQueueSpec(spec)).toThrow(expect.objectContaining({ kind: 'bad-queue', problems }));
});

test('a forwarding target must be a name', () => {
  expect(() => parseQueueSpec('orders?forwardTo=a%20b')).toThrow('forwardTo must hold only A-Z');
});

test('a mistake in a spec is a JitneyError of kind bad-queue', () => {
  expect(() => parseQueueSpec('a b')).toThrow(
    expect.objectContaining({ name: 'JitneyError', kind: 'bad-queue' }),
  );
});

test('a list cannot be given in a spec, and where else is told', () => {
  expect(() => parseQueueSpec('orders?authorizationRules=sender')).toThrow(
    'authorizationRules cannot be given in one line: use a Config.json, or an object',
  );
});
