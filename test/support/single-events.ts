// Copies of a message as one event each.

import type { Event } from '../../src/broker/event.js';

export type SingleEvent = Exclude<Event, { kind: 'copies-put' }>;

/** The events with a `message-put` for each of several copies. */
export function singly(events: readonly Event[]): SingleEvent[] {
  return events.flatMap((event) => (event.kind === 'copies-put' ? copiesIn(event) : [event]));
}

function copiesIn({ message, places }: Extract<Event, { kind: 'copies-put' }>): SingleEvent[] {
  return places.flatMap((storeId, at) => {
    if (at % 2 === 1) return [];
    return [{ kind: 'message-put', storeId, message: { ...message, sequenceNumber: places[at + 1] ?? 0 } }];
  });
}
