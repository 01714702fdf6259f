// A topic and its subscriptions: what is sent to it goes on in copies, and it keeps nothing but what is scheduled (TOP-01).

import type { TopicRecord } from '../event.js';
import type { Instant } from '../instant.js';
import { ContentReferences } from '../message/content-references.js';
import type { StoredMessage } from '../message/stored-message.js';
import { Queue } from './queue.js';
import { describeQueue, type QueueDescription } from './queue-description.js';
import { SortedNames } from './sorted-names.js';
import type { Subscription } from './subscription.js';
import type { TopicDescription } from './topic-description.js';

export class Topic {
  /** Takes what is sent: checks, duplicates, numbers, schedules and the size are those of a queue. */
  readonly intake: Queue;
  /** In the order of their creation. */
  readonly subscriptions = new SortedNames<Subscription>();
  /** Of the rules of all its subscriptions (LIM-10, LIM-11); kept by those. */
  readonly filterCounts = { sql: 0, correlation: 0 };
  /** Of shared contents whose copies lie in its subscriptions (CNT-02). */
  readonly #copies = new ContentReferences();
  #description: TopicDescription;

  constructor({ description, ...record }: TopicRecord) {
    this.#description = description;
    this.intake = new Queue({ ...record, description: intakeOf(description) }, { topic: this });
  }

  get description(): TopicDescription {
    return this.#description;
  }

  find(subscriptionName: string): Subscription | undefined {
    return this.subscriptions.find(subscriptionName);
  }

  update(description: TopicDescription, now: Instant): void {
    this.#description = description;
    this.intake.update(intakeOf(description), now);
    for (const subscription of this.subscriptions.values()) subscription.topicUpdated();
  }

  /** A copy came into one of its subscriptions. */
  copyStored({ contentId, sizeBytes, isShared }: StoredMessage): void {
    if (!isShared || !this.#copies.has(contentId)) this.intake.sizeBytes += sizeBytes;
    if (isShared) this.#copies.add(contentId);
  }

  copyRemoved({ contentId, sizeBytes, isShared }: StoredMessage): void {
    if (!isShared || this.#copies.remove(contentId)) this.intake.sizeBytes -= sizeBytes;
  }

  record(): TopicRecord {
    return { ...this.intake.record(), description: this.#description };
  }
}

function intakeOf(description: TopicDescription): QueueDescription {
  const { name, supportOrdering: _, ...given } = description;
  return describeQueue(name, given);
}
