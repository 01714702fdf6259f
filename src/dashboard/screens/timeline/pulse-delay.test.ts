// Pulses of events that came together.

import { expect, test } from 'vitest';
import type { PageEvent } from '../../state/page-event.js';
import { delayIn } from './pulse-delay.js';

function eventAt(ms: number): PageEvent {
  return { id: 1, kind: 'enqueued', time: new Date(ms).toISOString() };
}

test('start as far apart as the events were, but hardly later, and none before the first', () => {
  const events = [1000, 1000, 1150, 1300, 9_000_000, 500].map(eventAt);
  expect(events.map((event) => delayIn(events, event))).toEqual([0, 0, 150, 300, 400, 0]);
});
