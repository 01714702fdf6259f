// State derived from the events as they come: causes of trouble.

import { Causes } from './causes.js';
import { onEvents, onRestart, recentEvents } from './model.js';
import type { PageEvent } from './page-event.js';

export const causes = new Causes();

function take(events: readonly PageEvent[]): void {
  for (const event of events) causes.add(event);
}

take(recentEvents());
onEvents(take);
onRestart(() => causes.clear());
