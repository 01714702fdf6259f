// What the time brings about in stores by itself, in this order: schedules, expiry, forgetting, the end of an idle queue.

import type { BrokerParts } from '../broker-parts.js';
import { forgetMessageIds } from '../message/duplicate-detection.js';
import { activateDue } from '../message/schedule.js';
import { expireDue } from '../message/time-to-live.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { deleteEntity } from './delete-entity.js';
import { isIdle } from './idle-deletion.js';
import type { MessageStore } from './message-store.js';

/** Each for all of these stores before the next: what comes in at its time is there before anything goes. */
export function performDue(stores: readonly MessageStore[], parts: BrokerParts, turn: TurnInProgress): void {
  const { namespace } = parts;
  const held = stores.filter((store) => namespace.holds(store));
  for (const store of held) activateDue(store, parts, turn);
  for (const store of held) expireDue(store, turn);
  for (const { queue } of held) {
    // Gone meanwhile: by its other store, or an idle topic has taken its subscriptions with it.
    if (!namespace.holds(queue.main)) continue;
    forgetMessageIds(queue, turn);
    if (isIdle(queue, turn.now)) deleteEntity(queue, parts, turn);
  }
  for (const store of stores) turn.touch(store); // credit may wait for what stands behind the expired
}
