// What the time brings about in a store by itself, in this order: schedules, expiry, forgetting, the end of an idle queue.

import type { Limits } from '../limits.js';
import { forgetMessageIds } from '../message/duplicate-detection.js';
import { activateDue } from '../message/schedule.js';
import { expireDue } from '../message/time-to-live.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { type DeleteQueueResources, deleteQueue } from './delete-queue.js';
import { isIdle } from './idle-deletion.js';
import type { MessageStore } from './message-store.js';

export type PassingTimeResources = DeleteQueueResources & { readonly limits: Limits };

export function performDue(store: MessageStore, resources: PassingTimeResources, turn: TurnInProgress): void {
  const { queue } = store;
  activateDue(store, resources.limits, turn);
  expireDue(store, turn);
  forgetMessageIds(queue, turn);
  if (isIdle(queue, turn.now)) deleteQueue(queue, resources, turn);
  turn.touch(store); // credit may wait for what stands behind the expired
}
