// What the time brings about in stores by itself, in this order: schedules, expiry, forgetting, the end of an idle queue.

import { forgetMessageIds } from '../message/duplicate-detection.js';
import { type ActivationResources, activateDue } from '../message/schedule.js';
import { expireDue } from '../message/time-to-live.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { type DeleteEntityResources, deleteEntity } from './delete-entity.js';
import { isIdle } from './idle-deletion.js';
import type { MessageStore } from './message-store.js';

export type PassingTimeResources = DeleteEntityResources & ActivationResources;

/** Each for all of these stores before the next: what comes in at its time is there before anything goes. */
export function performDue(
  stores: readonly MessageStore[],
  resources: PassingTimeResources,
  turn: TurnInProgress,
): void {
  const { namespace } = resources;
  const held = stores.filter((store) => namespace.holds(store));
  for (const store of held) activateDue(store, resources, turn);
  for (const store of held) expireDue(store, turn);
  for (const { queue } of held) {
    // Gone meanwhile: by its other store, or an idle topic has taken its subscriptions with it.
    if (!namespace.holds(queue.main)) continue;
    forgetMessageIds(queue, turn);
    if (isIdle(queue, turn.now)) deleteEntity(queue, resources, turn);
  }
  for (const store of stores) turn.touch(store); // credit may wait for what stands behind the expired
}
