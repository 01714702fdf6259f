// Queues come, change, are looked at and go in the reference model.

import type { QueueDescription } from '../../src/broker/entity/queue-description.js';
import { MESSAGE_STATE } from '../../src/broker/message/message-properties.js';
import { mayReceive, maySend, refusalsOfDescription, storedBytes } from './reference-checks.js';
import { DONE, type ExpectedResult, failed } from './reference-expected.js';
import { detach } from './reference-links.js';
import { findTarget, type ModelQueue } from './reference-state.js';
import { happened, keyOf, type ModelTurn, PARTITIONS } from './reference-turn.js';

export function putQueue(given: QueueDescription, turn: ModelTurn): ExpectedResult {
  const queue = findTarget(turn.state, given.name)?.queue;
  const old = queue?.description;
  const reasons = refusalsOfDescription(given, old, turn.limits);
  if (reasons.length > 0) return failed(...reasons);
  if (queue === undefined) create(given, turn);
  else if (!isSame(given, old)) update(queue, given, turn);
  return DONE;
}

export function deleteQueue(name: string, turn: ModelTurn): ExpectedResult {
  const queue = turn.state.queues.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (queue === undefined) return failed('entity-not-found');
  removeQueue(queue, turn);
  return DONE;
}

/** ENT-04, ENT-05: deleted by somebody, or idle for too long. */
export function removeQueue(queue: ModelQueue, turn: ModelTurn): void {
  for (const message of queue.messages) {
    happened('M36', turn);
    turn.expected.keys.add(keyOf(queue, message));
    message.lock = undefined;
    message.isGone = true;
  }
  for (const { sessionId } of queue.sessionStates) {
    happened('X18', turn);
    turn.expected.sessionStates.push(`removed ${queue.name} ${sessionId}`);
  }
  queue.messages = [];
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
  const queue = turn.state.queues.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (queue === undefined) return failed('entity-not-found');
  const main = queue.messages.filter(({ place }) => place === 'main');
  const scheduled = main.filter(({ state }) => state === MESSAGE_STATE.scheduled).length;
  return {
    kind: 'queue-info',
    queue,
    counts: {
      active: main.length - scheduled,
      scheduled,
      deadLetter: queue.messages.length - main.length,
    },
    sizeBytes: storedBytes(queue),
    now: turn.now,
  };
}

function create(description: QueueDescription, turn: ModelTurn): void {
  const { now } = turn;
  turn.state.queues.push({
    name: description.name,
    createdTime: now,
    description,
    updatedTime: now,
    counters: Array<number>(description.enablePartitioning ? PARTITIONS : 1).fill(0),
    nextPartition: 0,
    turns: { main: 0, dead: 0 },
    messages: [],
    noted: [],
    sessionStates: [],
    activeAt: now,
    accessedAt: now,
    isGone: false,
  });
  turn.expected.queuesPut.push(description.name);
}

/** ENT-07: what may no longer be done is detached. */
function update(queue: ModelQueue, description: QueueDescription, turn: ModelTurn): void {
  queue.description = description;
  queue.updatedTime = turn.now;
  queue.activeAt = turn.now;
  turn.expected.queuesPut.push(queue.name);
  for (const link of turn.state.links.filter((one) => one.queueName === queue.name)) {
    if (link.role === 'sender' ? maySend(queue) : mayReceive(queue)) continue;
    detach(link.id, turn);
    turn.expected.effects.push({ kind: 'detach', linkId: link.id, reason: 'entity-disabled' });
  }
}

/** But for the name, which keeps the case of its creation (ENT-02). */
function isSame(given: QueueDescription, old: QueueDescription | undefined): boolean {
  const keys = Object.keys(given) as (keyof QueueDescription)[];
  return keys.every((key) => key === 'name' || given[key] === old?.[key]);
}
