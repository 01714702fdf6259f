// What the reference model remembers: plain lists that can be copied as a whole.

import type { ReceiveMode, StepCommand } from '../../src/broker/contract/command.js';
import type { QueueDescription } from '../../src/broker/contract/entities/queue-description.js';
import type {
  SubscriptionDescription,
  TopicDescription,
} from '../../src/broker/contract/entities/topic-description.js';
import type { RuleRecord } from '../../src/broker/contract/event.js';
import {
  MESSAGE_STATE,
  type MessageState,
  type NewMessage,
  type PropertyValue,
  type Schedule,
  type SystemChanges,
} from '../../src/broker/contract/message-properties.js';

/** Partitions, and the numbers of each (SEQ-06). */
export const PARTITIONS = 16;
export const PARTITION_SIZE = 2 ** 48;

/** Part of a queue: its main store, its dead-letter queue, where transfers wait, and where those that failed are. */
export type Place = 'main' | 'dead' | 'transfer' | 'failed';
export const PLACES: readonly Place[] = ['main', 'dead', 'transfer', 'failed'];

/** A queue and one of its two stores, as an entity path names them. */
export type Target = { readonly queue: ModelQueue; readonly place: Place };

/** `linkId` is undefined when the lock was taken by number. */
export type ModelLock = {
  token: string;
  until: number;
  /** Not one under a session that does not. */
  readonly runsOut: boolean;
  readonly linkId: number | undefined;
  /** The transaction in which it is settled: until that is discharged it does not run out (TXN-06). */
  pinnedBy: number | undefined;
};

/** Learnt from the broker. */
export type InventedId = { id: string | undefined };

/** What a message keeps wherever it goes. */
export type Luggage = {
  /** Where the broker has invented one: all copies have the same; or of a forwarded message what a rule has made of it. */
  readonly invented: InventedId | undefined;
  /** More than one copy was made of it. */
  readonly isShared: boolean;
  /** Of a copy from a topic or a forwarded message: its number where it was sent. */
  readonly submittedNumber: number | undefined;
  /** Entities it was forwarded from. */
  readonly hops: number;
  readonly deadLetterSource: string | undefined;
  readonly systemChanges: SystemChanges;
  /** Null: removed by a rule. */
  changes: Record<string, PropertyValue | null>;
};

/** A message as a topic has accepted it. */
export type Arrived = {
  /** The topic's. */
  readonly number: number;
  readonly enqueuedTime: number;
  readonly message: Pick<NewMessage, 'content' | 'messageId' | 'sessionId' | 'timeToLiveMs'>;
  readonly luggage: Luggage;
  readonly wasScheduled: boolean;
};

/** How far the copies of a message are made that waits for the rest of them (TOP-15). */
export type WaitingFanOut = {
  readonly arrived: Arrived;
  /** The subscriptions without all of theirs, and how many the first of these has. */
  readonly rest: readonly string[];
  readonly copyCount: number;
  /** The turn in which it came to this, and which of the things told of that turn has said so. */
  readonly turn: number;
  readonly toldIndex: number;
};

export type ModelMessage = Luggage & {
  place: Place;
  number: number;
  /** Undefined in a queue without partitions. */
  readonly partitionId: number | undefined;
  state: MessageState;
  /** Its scheduled time has come, and it has not been moved since. */
  wasScheduled: boolean;
  enqueuedTime: number;
  expiresAt: number;
  schedule: Schedule | undefined;
  readonly content: Uint8Array;
  /** As it was sent, or as a rule has changed it; it counts in session stores alone. */
  readonly sessionId: string | undefined;
  /** Of one that waits: in any case, as it was named. */
  destination?: string | undefined;
  /** When it came to a dead-letter queue. */
  deadLetteredAt?: number | undefined;
  /** Of one in a topic's `dead` place, where the copies wait that are still to be made. */
  fanOut?: WaitingFanOut;
  count: number;
  lock: ModelLock | undefined;
  /** The transaction in which it is cancelled: until that is discharged it does not come due. */
  cancelledBy: number | undefined;
  isGone: boolean;
};

/** A message as it comes into a store. */
export function newMessage(
  queue: ModelQueue,
  luggage: Luggage,
  given: Pick<ModelMessage, 'place' | 'number' | 'enqueuedTime' | 'expiresAt' | 'content' | 'sessionId'> &
    Partial<ModelMessage>,
): ModelMessage {
  return {
    ...luggage,
    partitionId: queue.description.enablePartitioning ? Math.floor(given.number / PARTITION_SIZE) : undefined,
    state: MESSAGE_STATE.active,
    wasScheduled: false,
    schedule: undefined,
    destination: undefined,
    deadLetteredAt: undefined,
    count: 0,
    lock: undefined,
    cancelledBy: undefined,
    isGone: false,
    ...given,
  };
}

export type ModelNote = { readonly key: string; readonly number: number; readonly acceptedAt: number };

/** What an application has stored with a session. */
export type ModelSessionState = {
  readonly sessionId: string;
  readonly content: Uint8Array;
  readonly updatedTime: number;
};

/** A session that is held: by whom, and until when. */
export type ModelHold = {
  readonly queueName: string;
  readonly sessionId: string;
  readonly linkId: number;
  readonly connectionId: number;
  /** Not that of a receive-and-delete receiver (SES-12). */
  readonly runsOut: boolean;
  until: number;
};

export type TransferRetry = { readonly at: number; readonly ms: number };

/** A queue; or a topic, which holds what is scheduled, or a subscription. */
export type ModelQueue = {
  /** Of a subscription its path. */
  readonly name: string;
  readonly kind: 'queue' | 'topic' | 'subscription';
  /** Of a subscription's topic. */
  readonly topicName: string | undefined;
  /** What was put, of a topic or a subscription; `description` is then what it comes to. */
  topic: TopicDescription | undefined;
  subscription: SubscriptionDescription | undefined;
  rules: RuleRecord[];
  readonly createdTime: number;
  description: QueueDescription;
  updatedTime: number;
  /** When a topic whose status held its scheduled messages back enqueues those that are due (SCH-11). */
  enqueuesFrom: number;
  /** The numbers given so far, by partition; of a queue without partitions in the first place alone. */
  counters: number[];
  /** Of messages without a key. */
  nextPartition: number;
  /** The partition of each store that is asked first for a message. */
  turns: Record<Place, number>;
  messages: ModelMessage[];
  noted: ModelNote[];
  sessionStates: ModelSessionState[];
  /** Undefined between a restart and the first command after it. */
  activeAt: number | undefined;
  /** The last time a message was certainly sent, received, settled or looked at; a subscription is born used. */
  accessedAt: number | undefined;
  /** Of the dead-letter queue, when its destination did not take a message (FWD-08). */
  retryAt: number;
  retryMs: number;
  /** Whether it has stores for transfers (TXN-11). */
  hasTransfers: boolean;
  /** By destination in small letters: when it is tried again, and after what pause once more. */
  transferRetries: Record<string, TransferRetry>;
  /** Of a topic in which copies wait: when it goes on with them. */
  fanOutAt: number;
  isGone: boolean;
};

export type ModelLink = {
  readonly id: number;
  readonly role: 'sender' | 'receiver' | 'browser';
  readonly queueName: string;
  readonly place: Place;
  readonly mode: ReceiveMode;
  /** Of a receiver that accepts a session. */
  readonly connectionId: number | undefined;
  /** Its locks run on when it is gone. */
  readonly keepsLocks: boolean;
  /** Deliveries made, and credit given up. */
  used: number;
  /** The credit of a browser; that of receivers stands in one line. */
  lookCredit: number;
  /** The numbers it has been shown. */
  readonly shown: Set<number>;
};

/** What commands count on that belong together, by names of the model's own. */
export type Claimed = {
  things: string[];
  /** What they bring into queues and topics that have a limit. */
  rooms: { readonly queueName: string; readonly bytes: number; readonly session?: string }[];
};

/** A command that is held until the discharge. */
export type ModelOperation = {
  readonly command: StepCommand;
  readonly queueName: string;
  readonly isForgotten: boolean;
  /** The link that held the session that the command names. */
  readonly holderId: number | undefined;
};

export type ModelTransaction = {
  readonly id: number;
  readonly connectionId: number;
  operations: ModelOperation[];
  readonly claimed: Claimed;
  dueAt: number;
  isDoomed: boolean;
  sentCount: number;
  /** The queue or topic it is about; undefined before the first operation. */
  entityName: string | undefined;
  partitionId: number | undefined;
};

export type ModelState = {
  queues: ModelQueue[];
  links: ModelLink[];
  /** The link ids of all outstanding credit, one entry per credit, in order of arrival. */
  credits: number[];
  holds: ModelHold[];
  /** Each claim that once was good. */
  pastHolds: ModelHold[];
  /** The link ids of those that wait for the next session, in order of arrival. */
  waiting: number[];
  /** Declared and not discharged. */
  transactions: ModelTransaction[];
  timedOut: Pick<ModelTransaction, 'id' | 'connectionId'>[];
  lastTransactionId: number;
};

export function noState(): ModelState {
  return {
    queues: [],
    links: [],
    credits: [],
    holds: [],
    pastHolds: [],
    waiting: [],
    transactions: [],
    timedOut: [],
    lastTransactionId: 0,
  };
}

export function copyState(state: ModelState): ModelState {
  const { queues, links, credits, holds, pastHolds, waiting, transactions, timedOut } = state;
  return {
    ...state,
    queues: queues.map((queue) => ({
      ...queue,
      counters: [...queue.counters],
      turns: { ...queue.turns },
      messages: queue.messages.map(copyMessage),
      noted: [...queue.noted],
      sessionStates: [...queue.sessionStates],
      rules: [...queue.rules],
      transferRetries: { ...queue.transferRetries },
    })),
    links: links.map((link) => ({ ...link, shown: new Set(link.shown) })),
    credits: [...credits],
    holds: holds.map((hold) => ({ ...hold })),
    pastHolds: [...pastHolds],
    waiting: [...waiting],
    transactions: transactions.map(copyTransaction),
    timedOut: [...timedOut],
  };
}

function copyTransaction(transaction: ModelTransaction): ModelTransaction {
  const { operations, claimed } = transaction;
  return {
    ...transaction,
    operations: [...operations],
    claimed: { things: [...claimed.things], rooms: [...claimed.rooms] },
  };
}

export function copyMessage(message: ModelMessage): ModelMessage {
  const lock = message.lock === undefined ? undefined : { ...message.lock };
  return { ...message, changes: { ...message.changes }, lock };
}

export function findTarget({ queues }: ModelState, path: string): Target | undefined {
  const lower = path.toLowerCase();
  for (const queue of queues) {
    const name = queue.name.toLowerCase();
    if (lower === name) return { queue, place: 'main' };
    if (lower === `${name}/$deadletterqueue` && queue.kind !== 'topic') return { queue, place: 'dead' };
    if (lower === `${name}/$transfer/$deadletterqueue`) return { queue, place: 'failed' }; // DLQ-02
  }
  return undefined;
}

/** The link, with its credit and the session it holds or waits for, is no more. */
export function dropLink(linkId: number, state: ModelState): void {
  state.links = state.links.filter((one) => one.id !== linkId);
  state.credits = state.credits.filter((id) => id !== linkId);
  state.waiting = state.waiting.filter((id) => id !== linkId);
  for (const ended of state.holds.filter((one) => one.linkId === linkId)) {
    const isKnown = state.pastHolds.some((one) => isSameClaim(one, ended));
    if (!isKnown) state.pastHolds.push(ended);
  }
  state.holds = state.holds.filter((one) => one.linkId !== linkId);
}

function isSameClaim(one: ModelHold, other: ModelHold): boolean {
  return (
    one.queueName === other.queueName &&
    one.sessionId === other.sessionId &&
    one.connectionId === other.connectionId
  );
}

export function queueOf({ queueName }: { readonly queueName: string }, { queues }: ModelState): ModelQueue {
  const queue = queues.find((one) => one.name === queueName);
  if (queue === undefined) throw new Error('a link to nowhere');
  return queue;
}

/** In order of their creation. */
export function subscriptionsOf({ name, kind }: ModelQueue, { queues }: ModelState): readonly ModelQueue[] {
  return kind === 'topic' ? queues.filter(({ topicName }) => topicName === name) : [];
}

/** The messages of a topic of which copies wait, in the order of their numbers. */
export function waitingIn({ kind, messages }: ModelQueue): readonly ModelMessage[] {
  if (kind !== 'topic') return [];
  return messages.filter(({ place }) => place === 'dead').sort((a, b) => a.number - b.number);
}

export function topicOf({ topicName }: ModelQueue, { queues }: ModelState): ModelQueue | undefined {
  return topicName === undefined ? undefined : queues.find(({ name }) => name === topicName);
}

/** Where its messages go by themselves. */
export function destinationOf({ queue, place }: Target): string | undefined {
  const { forwardTo, forwardDeadLetteredMessagesTo } = queue.description;
  if (place === 'transfer' || place === 'failed') return undefined;
  return place === 'main' ? forwardTo : forwardDeadLetteredMessagesTo;
}

/** Where messages are had by session. */
export function isSessionStore({ queue, place }: Target): boolean {
  return queue.description.requiresSession && place === 'main';
}

export function pathOf({ queue, place }: Target): string {
  if (place === 'main') return queue.name;
  return place === 'dead' ? `${queue.name}/$DeadLetterQueue` : `${queue.name}/$Transfer/$DeadLetterQueue`;
}

/** DLQ-01, DLQ-02. */
export function isDeadLetterQueue(place: Place): boolean {
  return place === 'dead' || place === 'failed';
}

/** Whatever comes under the name of a queue that is gone is another one: what transactions hold for it cannot be done. */
export function dropOperationsAt({ name }: ModelQueue, { transactions }: ModelState): void {
  for (const transaction of transactions) {
    const { operations, claimed } = transaction;
    if (operations.some(({ queueName }) => queueName === name)) transaction.isDoomed = true;
    transaction.operations = operations.filter(({ queueName }) => queueName !== name);
    claimed.things = claimed.things.filter((thing) => !thing.startsWith(`message main ${name} `));
    claimed.rooms = claimed.rooms.filter(({ queueName }) => queueName !== name);
    if (transaction.entityName === name) transaction.entityName = `${name}, which is gone`;
  }
}
