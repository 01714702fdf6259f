// What is known about topics and subscriptions besides their messages (CNT-01 to CNT-03).

import type { SubscriptionInfo, TopicInfo } from '../result.js';
import { transferCounts } from './queue-info.js';
import type { Subscription } from './subscription.js';
import type { Topic } from './topic.js';

export function topicInfo({ description, intake, subscriptions, filterCounts }: Topic): TopicInfo {
  return {
    description,
    counts: {
      active: 0, // CNT-01: what is active is in the subscriptions, and nothing is dead-lettered by a topic
      scheduled: intake.main.scheduled.count,
      deadLetter: 0,
      ...transferCounts(intake),
    },
    subscriptionCount: subscriptions.size,
    filterCounts: { ...filterCounts },
    sizeBytes: intake.sizeBytes,
    createdTime: intake.createdTime,
    updatedTime: intake.updatedTime,
    accessedTime: intake.isUsed ? intake.accessedTime : undefined,
  };
}

export function subscriptionInfo({ topic, description, queue }: Subscription): SubscriptionInfo {
  const { main, deadLetters, createdTime, updatedTime, accessedTime } = queue;
  const counts = {
    active: main.log.count,
    scheduled: 0,
    deadLetter: deadLetters.log.count,
    ...transferCounts(queue),
  };
  const topicName = topic.description.name;
  return { topicName, description, counts, createdTime, updatedTime, accessedTime };
}
