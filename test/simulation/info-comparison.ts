// Whether entities are shown as the reference model knows them: one that is asked for, or a page of a list.

import { deepStrictEqual } from 'node:assert';
import type { QueueInfo, Result, SubscriptionInfo, TopicInfo } from '../../src/broker/result.js';
import { check, checkSame } from './check.js';
import type { ExpectedResult, LookedAt } from './reference-expected.js';
import { compareDescription } from './state-comparison.js';

type Info = QueueInfo | TopicInfo | SubscriptionInfo;

/** Answers whether entities are what was asked for, and shown. */
export function compareInfos(expected: ExpectedResult, actual: Result): boolean {
  const infos = infosIn(actual);
  if (infos === undefined || expected.kind !== actual.kind) return false;
  const all = 'entities' in expected ? expected.entities : [expected].filter((one) => 'queue' in one);
  checkSame(infos.length, all.length, 'the number of entities is wrong');
  for (const [index, info] of infos.entries()) compareInfo(all[index], info);
  return true;
}

function infosIn(result: Result): readonly Info[] | undefined {
  switch (result.kind) {
    case 'queue-info':
      return [result.queue];
    case 'topic-info':
      return [result.topic];
    case 'subscription-info':
      return [result.subscription];
    case 'queues':
      return result.queues;
    case 'topics':
      return result.topics;
    case 'subscriptions':
      return result.subscriptions;
    default:
      return undefined;
  }
}

/** CNT-01 to CNT-03: exact at all times. */
function compareInfo(expected: LookedAt | undefined, actual: Info): void {
  check(expected !== undefined, 'there is an entity too many');
  const { queue, counts, subscriptionCount, sizeBytes, now } = expected;
  compareDescription(actual.description, queue.topic ?? queue.subscription ?? queue.description);
  deepStrictEqual(actual.counts, counts, 'the counts are wrong');
  if ('subscriptionCount' in actual) {
    checkSame(actual.subscriptionCount, subscriptionCount, 'the subscriptions are miscounted');
  }
  if ('sizeBytes' in actual) checkSame(actual.sizeBytes, sizeBytes, 'the size is wrong');
  checkSame(actual.createdTime, queue.createdTime, 'the created time is wrong');
  checkSame(actual.updatedTime, queue.updatedTime, 'the updated time is wrong');
  const { accessedTime } = actual;
  if (accessedTime === undefined) check(queue.accessedAt === undefined, 'it was used, and shows no access');
  else {
    const earliest = queue.accessedAt ?? queue.createdTime;
    check(accessedTime >= earliest && accessedTime <= now, 'the accessed time is wrong');
  }
}
