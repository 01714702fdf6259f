// When pulses start of events that came together: as far apart as the events were, so that they do not start as one.

import type { PageEvent } from '../../state/page-event.js';

/** Events that came together may be hours apart, as those that are kept when the page is opened. */
const MOST_MS = 400;

/** Milliseconds behind the first of the events. */
export function delayIn(events: readonly PageEvent[], event: PageEvent): number {
  const [first = event] = events;
  const delayMs = Date.parse(event.time) - Date.parse(first.time);
  return Math.max(0, Math.min(MOST_MS, delayMs));
}
