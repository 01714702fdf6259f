// Creates a queue, or applies a description to the one that exists; its messages and locks stay (ENT-09).

import type { Expected } from '../command.js';
import type { Links } from '../delivery/links.js';
import type { Limits } from '../limits.js';
import { forgetMessageIds } from '../message/duplicate-detection.js';
import type { Result } from '../result.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { nameKey } from './entity-path.js';
import { checkForwarding } from './forwarding-check.js';
import { watchIdle } from './idle-deletion.js';
import { alreadyExists, checkExpected, type Namespace } from './namespace.js';
import type { Queue } from './queue.js';
import type { QueueDescription } from './queue-description.js';
import { checkQueueDescription, checkQueueUpdate, isSameDescription } from './queue-description-check.js';

export type QueueResources = {
  readonly namespace: Namespace;
  readonly links: Links;
  readonly limits: Limits;
};

export type GivenQueue = { readonly description: QueueDescription; readonly expected?: Expected };

export function putQueue(
  { description, expected }: GivenQueue,
  { namespace, links, limits }: QueueResources,
  turn: TurnInProgress,
): Result {
  const existing = namespace.findQueue(description.name);
  checkExpected(existing, expected, description.name);
  if (namespace.findTopic(description.name) !== undefined) throw alreadyExists(description.name); // ENT-03
  if (existing !== undefined) checkQueueUpdate(existing.description, description);
  checkQueueDescription(description, limits);
  const { name } = description;
  checkForwarding(
    description,
    undefined,
    (one) => nameKey(one) === nameKey(name) || namespace.hasDestination(one),
  );
  if (existing === undefined) create(description, namespace, turn);
  else update(existing, description, links, turn);
  return { kind: 'done' };
}

function create(description: QueueDescription, namespace: Namespace, turn: TurnInProgress): void {
  const times = { createdTime: turn.now, updatedTime: turn.now };
  const queue = namespace.addQueue({ description, ...times, ...namespace.takeStoreIds() });
  watchIdle(queue);
  turn.touch(queue.main);
  turn.queuePut(queue);
}

function update(queue: Queue, given: QueueDescription, links: Links, turn: TurnInProgress): void {
  const description = { ...given, name: queue.description.name }; // ENT-02: the case of its creation
  if (isSameDescription(queue.description, description)) return;
  forgetMessageIds(queue, turn); // by the old window: no id comes to life again
  queue.update(description, turn.now);
  forgetMessageIds(queue, turn);
  watchIdle(queue);
  turn.touch(queue.main);
  queue.deadLetters.forwardAnew(); // FWD-01: it may be that dead letters go on now
  turn.touch(queue.deadLetters);
  turn.queuePut(queue);
  links.detachDisabled(queue, turn);
}
