// Queues are put, read, listed and deleted in the reference model; lists are by name, ignoring case, a page at a time.

import { isDeepStrictEqual } from 'node:util';
import {
  checkDescription,
  checkForwarding,
  checkUpdate,
} from '../../src/broker/contract/entities/description-check.js';
import type { QueueDescription } from '../../src/broker/contract/entities/queue-description.js';
import { MESSAGE_STATE } from '../../src/broker/contract/message-properties.js';
import { detach } from './reference-receivers.js';
import { isHeldBack, mayForwardTo, mayReceive, maySend, refusalsOf, storedBytes } from './reference-send.js';
import {
  destinationOf,
  dropOperationsAt,
  findTarget,
  type ModelQueue,
  PARTITIONS,
  PLACES,
  type Place,
  subscriptionsOf,
  type Target,
  topicOf,
} from './reference-state.js';
import { rollBackAll } from './reference-transactions.js';
import {
  type CommandOf,
  DONE,
  type ExpectedResult,
  failed,
  happened,
  type LookedAt,
  type ModelTurn,
} from './reference-turn.js';

type PutQueue = Extract<CommandOf<'put-entity'>, { type: 'queue' }>;

export function putQueue({ description: given, expected }: PutQueue, turn: ModelTurn): ExpectedResult {
  const queue = findTarget(turn.state, given.name)?.queue;
  const old = queue?.description;
  const reasons = [
    ...refusalsOfExpected(expected, findNamed(given.name, 'queue', turn), turn),
    ...refusalsOf(
      () => checkDescription({ type: 'queue', description: given }, turn.limits),
      () => old !== undefined && checkUpdate(old, { type: 'queue', description: given }),
      () =>
        checkForwarding(
          { type: 'queue', description: given },
          (one) => one.toLowerCase() === given.name || mayForwardTo(one, turn.state),
        ),
    ),
    ...(queue !== undefined && queue.kind !== 'queue' ? ['entity-already-exists'] : []), // ENT-03
  ];
  if (reasons.length > 0) return failed(...reasons);
  const lifeMs = Math.min(given.defaultMessageTimeToLiveMs, turn.limits.maxTimeToLiveMs); // ENT-10
  const description = { ...given, defaultMessageTimeToLiveMs: lifeMs };
  if (queue === undefined) create({ kind: 'queue', description }, turn);
  else if (!isSame(description, old)) update(queue, description, turn);
  return DONE;
}

/** ENT-03, ENT-04. */
export function refusalsOfExpected(
  expected: PutQueue['expected'],
  existing: ModelQueue | undefined,
  turn: ModelTurn,
): readonly string[] {
  if (expected !== undefined)
    happened(`put, ${expected} expected, ${existing?.kind ?? 'nothing'} there`, turn);
  if (expected === 'absent' && existing !== undefined) return ['entity-already-exists'];
  return expected === 'present' && existing === undefined ? ['entity-not-found'] : [];
}

export function deleteEntity({ queue, place }: Target, turn: ModelTurn): ExpectedResult {
  if (place !== 'main') return failed('entity-not-found');
  const topic = topicOf(queue, turn.state);
  if (topic !== undefined) topic.activeAt = turn.now; // IDL-04
  happened(`deleted a ${queue.kind}`, turn);
  removeQueue(queue, turn);
  return DONE;
}

export function findNamed(
  name: string,
  kind: ModelQueue['kind'],
  { state }: ModelTurn,
): ModelQueue | undefined {
  return state.queues.find((one) => one.kind === kind && one.name.toLowerCase() === name.toLowerCase());
}

/** ENT-04, ENT-05: deleted by somebody, or idle for too long; a topic with its subscriptions. */
export function removeQueue(queue: ModelQueue, turn: ModelTurn): void {
  const topic = topicOf(queue, turn.state);
  if (topic !== undefined) topic.activeAt = Math.max(topic.activeAt ?? 0, queue.activeAt ?? 0);
  for (const subscription of subscriptionsOf(queue, turn.state)) {
    happened('subscription deleted with its topic', turn);
    removeQueue(subscription, turn);
  }
  if (queue.messages.length > 0) happened('M36', turn);
  if (queue.sessionStates.length > 0) happened('X18', turn);
  for (const place of PLACES) empty({ queue, place }, turn);
  for (const { description } of queue.rules) {
    turn.expected.rules.push(`removed ${queue.name} ${description.name}`);
  }
  dropOperationsAt(queue, turn.state);
  for (const link of turn.state.links.filter((one) => one.queueName === queue.name)) {
    if (link.connectionId !== undefined) happened('X18 links', turn);
    detach(link.id, turn);
    turn.expected.effects.push({ kind: 'detach', linkId: link.id, reason: 'entity-not-found' });
  }
  queue.isGone = true;
  turn.state.queues.splice(turn.state.queues.indexOf(queue), 1);
  turn.expected.queuesRemoved.push(queue.name);
}

/** Everything in it is gone at once.  */
export function empty({ queue, place }: Target, turn: ModelTurn): number {
  const messages = queue.messages.filter((message) => message.place === place);
  for (const message of messages) {
    message.lock = undefined;
    message.isGone = true;
  }
  queue.messages = queue.messages.filter((message) => message.place !== place);
  if (place === 'main') Object.assign(queue, { noted: [], sessionStates: [] });
  // An empty store is left as it is, unless the broker still has message-ids that are out of the window.
  if (!turn.removed.includes(`${queue.name} ${place} emptied`)) return messages.length;
  queue.turns[place] = 0;
  if (place === 'dead') Object.assign(queue, { retryAt: 0, retryMs: 1000 });
  if (place === 'transfer') queue.transferRetries = {};
  return messages.length;
}

/** A topic with the messages of its subscriptions; its room is free at once. Counts as use (IDL-03). */
export function purge(path: string, turn: ModelTurn): ExpectedResult {
  const target = findTarget(turn.state, path);
  if (target === undefined) return failed('entity-not-found');
  const { queue, place } = target;
  const subscriptions = place === 'main' ? subscriptionsOf(queue, turn.state) : [];
  let count = empty(target, turn);
  if (queue.kind === 'topic' && place === 'main') count += empty({ queue, place: 'dead' }, turn);
  for (const subscription of subscriptions) count += empty({ queue: subscription, place: 'main' }, turn);
  for (const used of [queue, ...subscriptions])
    Object.assign(used, { activeAt: turn.now, accessedAt: turn.now });
  happened(`purged a ${queue.kind}'s ${place}, ${Math.min(count, 1)}`, turn);
  return { kind: 'purged', count };
}

export function reset(turn: ModelTurn): ExpectedResult {
  let count = 0;
  rollBackAll(turn);
  for (const queue of turn.state.queues) for (const place of PLACES) count += empty({ queue, place }, turn);
  happened(`reset, ${Math.min(count, 1)}`, turn);
  return { kind: 'purged', count };
}

/** CNT-01. */
export function entityInfo({ queue, place }: Target, turn: ModelTurn): ExpectedResult {
  return place === 'main' ? { kind: 'entity-info', ...lookedAt(queue, turn) } : failed('entity-not-found');
}

/** CNT-01, CNT-02; as a list shows it, too. */
export function lookedAt(queue: ModelQueue, { state, now }: ModelTurn): LookedAt {
  const main = queue.messages.filter(({ place }) => place === 'main');
  const scheduled = main.filter((message) => message.state === MESSAGE_STATE.scheduled).length;
  const active = main.length - scheduled;
  const counts = {
    active,
    scheduled,
    deadLetter: queue.kind === 'topic' ? 0 : countIn(queue, 'dead'),
    transfer: countIn(queue, 'transfer'),
    transferDeadLetter: countIn(queue, 'failed'),
  };
  const subscriptionCount = subscriptionsOf(queue, state).length;
  return { queue: { ...queue }, counts, sizeBytes: storedBytes(queue, state), subscriptionCount, now };
}

function countIn({ messages }: ModelQueue, place: Place): number {
  return messages.filter((message) => message.place === place).length;
}

type New = Pick<ModelQueue, 'kind' | 'description'> &
  Partial<Pick<ModelQueue, 'topicName' | 'topic' | 'subscription' | 'rules'>>;

export function create(given: New, turn: ModelTurn): void {
  const { kind, description, topicName, topic, subscription, rules = [] } = given;
  const { now } = turn;
  turn.state.queues.push({
    name: description.name,
    kind,
    topicName,
    topic,
    subscription,
    rules,
    createdTime: now,
    description,
    updatedTime: now,
    enqueuesFrom: now,
    counters: Array<number>(description.enablePartitioning ? PARTITIONS : 1).fill(0),
    nextPartition: 0,
    turns: { main: 0, dead: 0, transfer: 0, failed: 0 },
    messages: [],
    noted: [],
    sessionStates: [],
    activeAt: now,
    retryAt: 0,
    retryMs: 1000,
    hasTransfers: false,
    transferRetries: {},
    fanOutAt: 0,
    accessedAt: kind === 'subscription' ? now : undefined,
    isGone: false,
  });
  turn.expected.queuesPut.push(description.name);
}

/** ENT-07: what may no longer be done is detached. */
export function update(queue: ModelQueue, description: QueueDescription, turn: ModelTurn): void {
  const wasHeld = isHeldBack(queue);
  queue.description = description;
  if (wasHeld && !isHeldBack(queue)) queue.enqueuesFrom = turn.now + 1;
  queue.updatedTime = turn.now;
  queue.retryAt = 0;
  queue.retryMs = 1000;
  queue.activeAt = turn.now;
  turn.expected.queuesPut.push(queue.name);
  for (const link of turn.state.links.filter((one) => one.queueName === queue.name)) {
    const isDisabled = link.role === 'sender' ? !maySend(queue) : !mayReceive(queue);
    const isForwarding = link.role !== 'sender' && destinationOf({ queue, place: link.place }) !== undefined;
    if (!isDisabled && !isForwarding) continue;
    detach(link.id, turn);
    if (!isDisabled) happened('detached, it forwards now', turn);
    const reason = isDisabled ? 'entity-disabled' : 'not-allowed'; // RCV-11
    turn.expected.effects.push({ kind: 'detach', linkId: link.id, reason });
  }
}

export function isSame<T extends object>(given: T, old: T | undefined): boolean {
  const keys = Object.keys(given) as (keyof T)[];
  return keys.every((key) => isDeepStrictEqual(given[key], old?.[key]));
}

type Page = { readonly skip: number; readonly maxCount: number };
export function listEntities(command: CommandOf<'list-entities'>, turn: ModelTurn): ExpectedResult {
  const all =
    command.type === 'subscription' ? listedOf(command.topicName, turn) : ofKind(command.type, turn);
  if (all === undefined) return failed('entity-not-found');
  if (isRefusedPage(command)) return failed('argument-out-of-range');
  const entities = pageOf(all.toSorted(byName), command).map((queue) => lookedAt(queue, turn));
  happened(`listed ${Math.min(entities.length, 2)} ${command.type}s`, turn);
  return { kind: 'entities', entities };
}

function listedOf(topicName: string, turn: ModelTurn): readonly ModelQueue[] | undefined {
  const topic = findNamed(topicName, 'topic', turn);
  return topic && subscriptionsOf(topic, turn.state);
}

function ofKind(kind: ModelQueue['kind'], { state }: ModelTurn): readonly ModelQueue[] {
  return state.queues.filter((one) => one.kind === kind);
}

function byName({ name }: ModelQueue, other: ModelQueue): number {
  return name.toLowerCase() < other.name.toLowerCase() ? -1 : 1;
}

export function isRefusedPage({ skip, maxCount }: Page): boolean {
  return skip < 0 || maxCount < 1;
}

export function pageOf<T>(all: readonly T[], { skip, maxCount }: Page): readonly T[] {
  return all.filter((_, index) => index >= skip && index < skip + maxCount);
}
