// State derived from the events as they come: causes of trouble, and who sends and receives.

import { Traffic } from '../screens/flow/traffic.js';
import { Causes } from './causes.js';
import { onEvents, onRestart, recentEvents } from './model.js';
import type { PageEvent } from './page-event.js';

export const causes = new Causes();
export const traffic = new Traffic();

function take(events: readonly PageEvent[]): void {
  for (const event of events) {
    causes.add(event);
    traffic.add(event);
  }
}

take(recentEvents());
onEvents(take);
onRestart(() => {
  causes.clear();
  traffic.clear();
});
