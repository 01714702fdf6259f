// Who sends and receives, derived from the events as they come.

import { Traffic } from '../screens/overview/traffic.js';
import { onEvents, onRestart, recentEvents } from './model.js';
import type { PageEvent } from './page-event.js';

export const traffic = new Traffic();

function take(events: readonly PageEvent[]): void {
  for (const event of events) traffic.add(event);
}

take(recentEvents());
onEvents(take);
onRestart(() => traffic.clear());
