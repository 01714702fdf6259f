// Queues given as objects, by TypeScript or by JavaScript that knows no types.

import { expect, test } from 'vitest';
import { describeAuthorizationRule } from '../../src/broker/contract/entities/authorization-rule.js';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import { completeQueue, givenQueueOf } from '../../src/config/given-queue.js';

test.each([
  [{ name: 'q' }, describeQueue('q')],
  [{ name: 'q', lockDuration: 5000 }, describeQueue('q', { lockDurationMs: 5000 })],
  [{ name: 'q', lockDuration: 'PT5S' }, describeQueue('q', { lockDurationMs: 5000 })],
  [{ name: 'q', maxDeliveryCount: undefined, forwardTo: undefined }, describeQueue('q')],
  [{ name: 'q', maxDeliveryCount: null, forwardTo: null }, describeQueue('q')],
  [
    { name: 'q', defaultMessageTimeToLive: NEVER, autoDeleteOnIdle: 300_000, status: 'Disabled' },
    describeQueue('q', { autoDeleteOnIdleMs: 300_000, status: 'Disabled' }),
  ],
  [
    { name: 'q', authorizationRules: [{ keyName: 'a', accessRights: ['Send'] }] },
    describeQueue('q', { authorizationRules: [describeAuthorizationRule('a', { rights: ['Send'] })] }),
  ],
  [{ name: 'q', unheardOf: undefined }, describeQueue('q')],
])('%j is completed with the defaults of Azure', (given, expected) => {
  expect(completeQueue(given)).toEqual(expected);
});

const NAME_RULE =
  'its name must hold only A-Z, a-z, 0-9, "-", "_", ".", "~" and "/", with no part that is empty or has only dots';

test.each<[unknown, string]>([
  [5, 'A queue must be a text or an object with a name, not 5'],
  [null, 'A queue must be a text or an object with a name, not null'],
  [{}, 'Queue {}: its name must be a text, not undefined'],
  [{ name: 5 }, 'Queue 5: its name must be a text, not 5'],
  [{ name: 'a b' }, `Queue "a b": ${NAME_RULE}, not "a b"`],
  [{ name: 'q', lockDuration: 0 }, 'Queue "q": lockDuration must be more than PT0S, not 0'],
  [
    { name: 'q', lockDuration: Number.NaN },
    'Queue "q": lockDuration must be a duration such as "PT30S", or a whole number of milliseconds, not NaN',
  ],
  [
    { name: 'q', lockDuration: '5 s' },
    'Queue "q": lockDuration must be a duration such as PT30S, P1DT12H or 00:05:00, not "5 s"',
  ],
  [
    { name: 'q', lockDuration: NEVER },
    'Queue "q": lockDuration must be a duration such as "PT30S", or a whole number of milliseconds, not Infinity',
  ],
  [{ name: 'q', autoDeleteOnIdle: 1 }, 'Queue "q": autoDeleteOnIdle must be at least PT5M, not 1'],
  [
    { name: 'q', maxDeliveryCount: NEVER },
    'Queue "q": maxDeliveryCount must be a whole number from 1 to 2147483647, not Infinity',
  ],
  [{ name: 'q', requiresSession: 'no' }, 'Queue "q": requiresSession must be true or false, not "no"'],
  [
    { name: 'q', authorizationRules: [{ keyName: 'a', rights: ['Read'] }] },
    'Queue "q": authorizationRules[0].rights[0] must be one of Manage, Send, Listen, not "Read"',
  ],
  [{ name: 'q', forwardTo: 5 }, 'Queue "q": forwardTo must be a text, not 5'],
  [
    { name: 'q', status: 'On' },
    'Queue "q": status must be one of Active, Disabled, SendDisabled, ReceiveDisabled, not "On"',
  ],
  [
    { name: 'q', lockDurationMs: 5000 },
    `Queue "q": there is no property "lockDurationMs". Did you mean 'lockDuration'?`,
  ],
])('%j is refused, naming queue, property and value', (given, message) => {
  expect(() => completeQueue(given)).toThrow(
    expect.objectContaining({ name: 'JitneyError', kind: 'bad-queue', message }),
  );
});

test('a description is read again as it was, with its keys', () => {
  const authorizationRules = [describeAuthorizationRule('a', { rights: ['Send'], primaryKey: 'secret' })];
  const queue = describeQueue('q', { maxSizeInMegabytes: 1, lockDurationMs: 1500, authorizationRules });
  expect(completeQueue(givenQueueOf(queue))).toEqual(queue);
});

test('what JSON cannot say is refused in words too', () => {
  expect(() => completeQueue({ name: 'q', maxDeliveryCount: 3n })).toThrow('2147483647, not 3');
});
