// Queues come, change, are looked at and go in the reference model.

import { isDeepStrictEqual } from 'node:util';
import type { Command } from '../../src/broker/command.js';
import type { QueueDescription } from '../../src/broker/entity/queue-description.js';
import { MESSAGE_STATE } from '../../src/broker/message/message-properties.js';
import { mayReceive, maySend, refusalsOfDescription, storedBytes } from './reference-checks.js';
import { DONE, type ExpectedResult, failed, type LookedAt } from './reference-expected.js';
import { detach } from './reference-links.js';
import {
  destinationOf,
  dropOperationsAt,
  findTarget,
  type ModelQueue,
  type Place,
  subscriptionsOf,
  topicOf,
} from './reference-state.js';
import { happened, keyOf, type ModelTurn, PARTITIONS } from './reference-turn.js';

type PutQueue = Extract<Command, { kind: 'put-queue' }>;

export function putQueue({ description: given, expected }: PutQueue, turn: ModelTurn): ExpectedResult {
  const queue = findTarget(turn.state, given.name)?.queue;
  const old = queue?.description;
  const reasons = [
    ...refusalsOfExpected(expected, findNamed(given.name, 'queue', turn), turn),
    ...refusalsOfDescription(given, old, turn),
    ...(queue !== undefined && queue.kind !== 'queue' ? ['entity-already-exists'] : []), // ENT-03
    ...(/\/subscriptions\//i.test(given.name) ? ['argument'] : []),
  ];
  if (reasons.length > 0) return failed(...reasons);
  if (queue === undefined) create({ kind: 'queue', description: given }, turn);
  else if (!isSame(given, old)) update(queue, given, turn);
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

export function deleteQueue(name: string, turn: ModelTurn): ExpectedResult {
  const queue = findNamed(name, 'queue', turn);
  if (queue === undefined) return failed('entity-not-found');
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
  for (const message of queue.messages) {
    happened('M36', turn);
    turn.expected.keys.add(keyOf(queue, message));
    message.lock = undefined;
    message.isGone = true;
  }
  for (const { description } of queue.rules) {
    turn.expected.rules.push(`removed ${queue.name} ${description.name}`);
  }
  for (const { sessionId } of queue.sessionStates) {
    happened('X18', turn);
    turn.expected.sessionStates.push(`removed ${queue.name} ${sessionId}`);
  }
  queue.messages = [];
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

/** CNT-01. */
export function queueInfo(name: string, turn: ModelTurn): ExpectedResult {
  const queue = findNamed(name, 'queue', turn);
  if (queue === undefined) return failed('entity-not-found');
  return { kind: 'queue-info', ...lookedAt(queue, turn) };
}

/** CNT-01, CNT-02; as a list shows it, too. */
export function lookedAt(queue: ModelQueue, { state, now }: ModelTurn): LookedAt {
  const main = queue.messages.filter(({ place }) => place === 'main');
  const scheduled = main.filter((message) => message.state === MESSAGE_STATE.scheduled).length;
  const active = main.length - scheduled;
  const counts = {
    active,
    scheduled,
    deadLetter: countIn(queue, 'dead'),
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
    accessedAt: kind === 'subscription' ? now : undefined,
    isGone: false,
  });
  turn.expected.queuesPut.push(description.name);
}

/** ENT-07: what may no longer be done is detached. */
export function update(queue: ModelQueue, description: QueueDescription, turn: ModelTurn): void {
  queue.description = description;
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

/** But for the name, which keeps the case of its creation (ENT-02). */
export function isSame<T extends { readonly name: string }>(given: T, old: T | undefined): boolean {
  const keys = Object.keys(given) as (keyof T)[];
  return keys.every((key) => key === 'name' || isDeepStrictEqual(given[key], old?.[key]));
}
