// What the reference model remembers: plain lists that can be copied as a whole; and what it expects of one turn.

import type { BehaviourOptions } from '../../src/broker/contract/behaviour-options.js';
import type { Command, ReceiveMode, StepCommand } from '../../src/broker/contract/command.js';
import type { QueueDescription } from '../../src/broker/contract/entities/queue-description.js';
import type {
  SubscriptionDescription,
  TopicDescription,
} from '../../src/broker/contract/entities/topic-description.js';
import type { RuleRecord } from '../../src/broker/contract/event.js';
import type { Limits } from '../../src/broker/contract/limits.js';
import {
  MESSAGE_STATE,
  type MessageState,
  type NewMessage,
  type PropertyChange,
  type PropertyValue,
  type Schedule,
  type SystemChanges,
} from '../../src/broker/contract/message-properties.js';
import type { MessageCounts } from '../../src/broker/contract/result.js';

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
  /** Undefined: it takes any message. */
  readonly selector: string | undefined;
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

// What is expected of one turn of the reference model, and what can become of a message in it (semantics D.3).

/** The command of this kind. */
export type CommandOf<K extends Command['kind']> = Extract<Command, { kind: K }>;

/** What the model expects of a turn. */
export type Expected = {
  result: ExpectedResult;
  effects: ExpectedEffect[];
  /** The message rows that must be written or deleted. */
  keys: Set<string>;
  /** Those that may be written, though nothing in them has changed. */
  optionalKeys: Set<string>;
  /** Whose rows must now be what the model has; some may be gone. */
  touched: { readonly queue: ModelQueue; readonly message: ModelMessage }[];
  noted: { readonly queue: ModelQueue; readonly note: ModelNote }[];
  /** The rows of session states that must be written or deleted, in order: `put orders "a"`. */
  sessionStates: string[];
  /** Queues that gave numbers. */
  numbered: Set<ModelQueue>;
  /** The rows of rules that must be written or deleted, in any order: `put news/Subscriptions/all reds`. */
  rules: string[];
  /** Of queues, topics and subscriptions. */
  queuesPut: string[];
  queuesRemoved: string[];
  /** The transitions of semantics D.3 that happened, and other things worth counting. */
  happened: string[];
  /** The cost of the fan-out of the command, at least and at most. Of what was due before it, it is any: the order is the broker's choice. */
  readonly fanOutCost: { least: number; most: number };
};

/** A message as it is shown or handed out, with the lock it then had. */
export type ExpectedMessage = {
  readonly message: ModelMessage;
  /** As it was then: the same turn may have gone on with it. */
  readonly shown: ModelMessage;
  readonly lock: ModelLock | undefined;
  /** Of the lock, then. */
  readonly lockedUntil: number | undefined;
};

/** An entity as it is shown. */
export type LookedAt = {
  readonly queue: ModelQueue;
  readonly counts: MessageCounts;
  readonly sizeBytes: number;
  /** Of a topic; none of all else. */
  readonly subscriptionCount: number;
  readonly now: number;
};

export type ExpectedResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'declared'; readonly transactionId: number }
  | { readonly kind: 'enlisted' }
  /** For one of these reasons: which of several mistakes is named is the broker's choice. */
  | { readonly kind: 'failed'; readonly reasons: readonly string[] }
  | {
      readonly kind: 'entity';
      readonly path: string;
      readonly isTopic: boolean;
      readonly maxMessageSizeBytes: number;
      readonly maxBatchSizeBytes: number;
    }
  | { readonly kind: 'sent'; readonly sequenceNumbers: readonly number[] }
  /** At least so many of these, from the first on. */
  | {
      readonly kind: 'messages';
      readonly messages: readonly ExpectedMessage[];
      readonly leastCount: number;
    }
  | { readonly kind: 'deleted' | 'purged'; readonly count: number }
  | ({ readonly kind: 'entity-info' } & LookedAt)
  | { readonly kind: 'entities'; readonly entities: readonly LookedAt[] }
  | { readonly kind: 'rules'; readonly rules: readonly RuleRecord[] }
  | { readonly kind: 'renewed'; readonly lockedUntil: readonly number[] }
  | { readonly kind: 'session-state'; readonly content: Uint8Array | undefined }
  | { readonly kind: 'sessions'; readonly sessionIds: readonly string[] }
  | { readonly kind: 'step'; readonly results: readonly ExpectedResult[] };

export type ExpectedEffect =
  | {
      readonly kind: 'session-accepted';
      readonly linkId: number;
      readonly sessionId: string;
      readonly lockedUntil: number;
    }
  | ({ readonly kind: 'deliver'; readonly linkId: number } & ExpectedMessage)
  | { readonly kind: 'drained'; readonly linkId: number; readonly deliveredCount: number }
  | { readonly kind: 'detach'; readonly linkId: number; readonly reason: string };

export const DONE: ExpectedResult = { kind: 'done' };

export function failed(...reasons: string[]): ExpectedResult {
  return { kind: 'failed', reasons };
}

export function nothingExpected(): Expected {
  return {
    result: DONE,
    effects: [],
    keys: new Set(),
    optionalKeys: new Set(),
    touched: [],
    noted: [],
    sessionStates: [],
    numbered: new Set(),
    rules: [],
    queuesPut: [],
    queuesRemoved: [],
    happened: [],
    fanOutCost: { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY },
  };
}

/** What differs from seed to seed. */
export type Conditions = { readonly limits: Limits; readonly behaviour: BehaviourOptions };

/** What the broker has told of a message of which copies wait: how far they are made. */
export type ToldFanOut = {
  readonly key: string;
  /** When, among all that the broker has removed. */
  readonly removedCount: number;
  /** The subscriptions that have not all of theirs, and how many the first of these has. */
  readonly rest: readonly string[];
  readonly copyCount: number;
  readonly isComplete: boolean;
};

export type ModelTurn = Conditions & {
  /** Each turn has a higher one. */
  readonly number: number;
  readonly now: number;
  readonly state: ModelState;
  readonly expected: Expected;
  /** The messages that the broker has removed or moved, by key, in order. */
  readonly removed: readonly string[];
  /** What it has told of messages of which copies wait, in order. */
  readonly fanOuts: readonly ToldFanOut[];
  /** Within a step that has been checked: whether there was room was looked at then. */
  readonly hasRoom?: boolean;
  /** Whether it is only tried what a command would be answered: nothing the broker has told is about it. */
  readonly isTrial?: boolean;
  /** Whether the command is a step that may change rules: then no copies wait. */
  readonly isFanOutWhole?: boolean;
};

export function happened(what: string, turn: ModelTurn): void {
  turn.expected.happened.push(what);
}

/** The message's row is written. */
export function put(queue: ModelQueue, message: ModelMessage, turn: ModelTurn): void {
  turn.expected.keys.add(keyOf(queue, message));
  turn.expected.touched.push({ queue, message });
}

export function remove(queue: ModelQueue, message: ModelMessage, turn: ModelTurn): void {
  turn.expected.keys.add(keyOf(queue, message));
  queue.messages.splice(queue.messages.indexOf(message), 1);
  message.lock = undefined;
  message.isGone = true;
}

export function deadLetter(
  queue: ModelQueue,
  message: ModelMessage,
  changes: readonly PropertyChange[],
  turn: ModelTurn,
): void {
  turn.expected.keys.add(keyOf(queue, message));
  change(message, changes);
  message.lock = undefined;
  message.place = message.place === 'transfer' ? 'failed' : 'dead'; // DLQ-02
  message.destination = undefined;
  message.deadLetteredAt = turn.now;
  message.state = MESSAGE_STATE.active;
  message.wasScheduled = false;
  message.expiresAt = Number.POSITIVE_INFINITY; // TTL-11
  put(queue, message, turn);
}

/** Abandoned, or its lock has expired: DLV-02, DLV-06 to DLV-08. A message that is now expired is swept up later in the turn. */
export function returnCounted(
  queue: ModelQueue,
  message: ModelMessage,
  changes: readonly PropertyChange[],
  turn: ModelTurn,
): void {
  message.lock = undefined;
  const isDeferred = message.state === MESSAGE_STATE.deferred;
  if (isDeadLetterQueue(message.place)) {
    happened(isDeferred ? 'M25 dead-lettered' : 'M10 dead-lettered', turn);
    change(message, changes);
    if (changes.length > 0) put(queue, message, turn);
    return;
  }
  const isLast = count(queue, message, changes, turn);
  if (isLast) happened(isDeferred ? 'M26' : 'M11', turn);
  else {
    happened(isDeferred ? 'M25' : 'M10', turn);
    put(queue, message, turn);
  }
}

/** Whether it was the last delivery: then it is dead-lettered (DLV-06). */
function count(
  queue: ModelQueue,
  message: ModelMessage,
  changes: readonly PropertyChange[],
  turn: ModelTurn,
): boolean {
  message.count += 1;
  change(message, changes);
  const max = queue.description.maxDeliveryCount;
  if (message.count < max) return false;
  const text = `Message could not be consumed after ${max} delivery attempts.`;
  deadLetter(queue, message, reasonOf('MaxDeliveryCountExceeded', text), turn);
  return true;
}

/** SET-10, LNK-04, SES-14. */
export function release(message: ModelMessage, turn: ModelTurn): void {
  message.lock = undefined;
  happened(message.state === MESSAGE_STATE.deferred ? 'M14 deferred' : 'M14', turn);
}

/** SET-04, DEF-06, DLV-07, DLV-08. */
export function defer(
  queue: ModelQueue,
  message: ModelMessage,
  changes: readonly PropertyChange[],
  turn: ModelTurn,
): void {
  const wasDeferred = message.state === MESSAGE_STATE.deferred;
  const isDead = isDeadLetterQueue(message.place);
  message.lock = undefined;
  if (!isDead && count(queue, message, changes, turn)) {
    happened(wasDeferred ? 'M27 at the maximum' : 'M16 at the maximum', turn);
    return;
  }
  happened(wasDeferred ? 'M27' : 'M16', turn);
  message.state = MESSAGE_STATE.deferred;
  if (isDead) change(message, changes);
  if (isDead && wasDeferred && changes.length === 0) turn.expected.optionalKeys.add(keyOf(queue, message));
  else put(queue, message, turn);
}

/** TTL-08, SES-18: where it is chosen they take their sessions with them, but for what is locked or scheduled. */
export function expire(queue: ModelQueue, messages: readonly ModelMessage[], turn: ModelTurn): void {
  const own = messages.filter(({ place }) => place === 'main');
  for (const message of messages) {
    if (message.place === 'transfer') happened('a transfer expired', turn);
    expireOne(queue, message, 'The message expired and was dead lettered.', turn);
  }
  if (!queue.description.requiresSession || !turn.behaviour.expireWholeSession) return;
  for (const { sessionId, number } of own.toSorted((a, b) => a.number - b.number)) {
    const others = queue.messages.filter(
      (one) =>
        one.place === 'main' &&
        one.sessionId === sessionId &&
        one.state !== MESSAGE_STATE.scheduled &&
        one.lock === undefined,
    );
    const text = `The message was dead lettered with its session, in which message ${number} had expired.`;
    for (const other of others) {
      happened(other.state === MESSAGE_STATE.deferred ? 'X15 deferred' : 'X15', turn);
      expireOne(queue, other, text, turn);
    }
  }
}

function expireOne(queue: ModelQueue, message: ModelMessage, text: string, turn: ModelTurn): void {
  const { deadLetteringOnMessageExpiration: isKept } = queue.description;
  happened(isKept ? 'expired, dead-lettered' : 'expired, removed', turn);
  if (isKept) deadLetter(queue, message, reasonOf('TTLExpiredException', text), turn);
  else remove(queue, message, turn);
}

/** M4, SCH-03. */
export function activate(queue: ModelQueue, message: ModelMessage, turn: ModelTurn): void {
  happened('M4', turn);
  const timeToLiveMs = message.schedule?.timeToLiveMs ?? Number.POSITIVE_INFINITY;
  turn.expected.keys.add(keyOf(queue, message));
  message.number = nextNumber(queue, Math.floor(message.number / PARTITION_SIZE), turn);
  message.state = MESSAGE_STATE.active;
  message.schedule = undefined;
  message.wasScheduled = true;
  message.enqueuedTime = turn.now;
  message.expiresAt = turn.now + effectiveTimeToLive(queue, timeToLiveMs, turn); // TTL-04
  put(queue, message, turn);
}

/** TTL-02. */
export function effectiveTimeToLive({ description }: ModelQueue, givenMs: number, turn: ModelTurn): number {
  return Math.min(givenMs, description.defaultMessageTimeToLiveMs, turn.limits.maxTimeToLiveMs);
}

export function nextNumber(queue: ModelQueue, partition: number, turn: ModelTurn): number {
  const count = (queue.counters[partition] ?? 0) + 1;
  queue.counters[partition] = count;
  turn.expected.numbered.add(queue);
  return partition * PARTITION_SIZE + count;
}

export function keyOf(queue: ModelQueue, { place, number }: ModelMessage): string {
  return `${queue.name} ${place} ${number}`;
}

function change(message: ModelMessage, changes: readonly PropertyChange[]): void {
  for (const { name, value } of changes) message.changes[name] = value;
}

export function reasonOf(reason: string, description: string): readonly PropertyChange[] {
  return [
    { name: 'DeadLetterReason', value: reason },
    { name: 'DeadLetterErrorDescription', value: description },
  ];
}

/** Removes what is expired and not held by anybody (TTL-09); `transition` is what may have made it so. */
export function sweepExpired(turn: ModelTurn, transition: string): void {
  for (const queue of turn.state.queues) sweepQueue(queue, transition, turn);
}

export function sweepQueue(queue: ModelQueue, transition: string, turn: ModelTurn): void {
  const isListened = isSwept(queue, turn.state, turn);
  const expired = queue.messages.filter(
    (one) => one.expiresAt <= turn.now && canBeSwept(one) && (isListened || one.place === 'transfer'),
  );
  if (expired.length === 0) return;
  for (const _ of expired) happened(transition, turn);
  expire(queue, expired, turn);
}

/** A locked message is left alone, a deferred one expires when it is asked for (TTL-06, TTL-10). */
export function canBeSwept({ place, state, lock }: ModelMessage): boolean {
  if (place === 'transfer') return true;
  return place === 'main' && state === MESSAGE_STATE.active && lock === undefined;
}

/** SES-18: where whole sessions expire, nothing does while nobody listens. */
export function isSwept(queue: ModelQueue, { links }: ModelState, { behaviour }: Conditions): boolean {
  const isBySession = behaviour.expireWholeSession && isSessionStore({ queue, place: 'main' });
  if (behaviour.expirySweep === 'always' && !isBySession) return true;
  return links.some(
    (link) => link.queueName === queue.name && link.role === 'receiver' && link.place === 'main',
  );
}
