// What is known about topics and subscriptions besides their messages (CNT-01 to CNT-03).

import type { SubscriptionInfo, TopicInfo } from '../result.js';
import type { Subscription } from './subscription.js';
import type { Topic } from './topic.js';

export function topicInfo({ description, intake, subscriptions, filterCounts }: Topic): TopicInfo {
  return {
    description,
    scheduledCount: intake.main.scheduled.count,
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
  const counts = { active: main.log.count, scheduled: 0, deadLetter: deadLetters.log.count };
  const topicName = topic.description.name;
  return { topicName, description, counts, createdTime, updatedTime, accessedTime };
}
