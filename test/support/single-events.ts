// Copies of messages as one event each.

import type { Event } from '../../src/broker/contract/event.js';

export type SingleEvent = Exclude<Event, { kind: 'copies-put' }>;

type CopyPut = Extract<Event, { kind: 'message-put' }>;

/** The events with a `message-put` for each copy. Those of neighbouring events are in the order of their numbers. */
export function singly(events: readonly Event[]): SingleEvent[] {
  const single: SingleEvent[] = [];
  let copies: CopyPut[] = [];
  const addCopies = () => {
    single.push(...copies.sort((a, b) => a.message.sequenceNumber - b.message.sequenceNumber));
    copies = [];
  };
  for (const event of events) {
    if (event.kind === 'copies-put') copies.push(...copiesIn(event));
    else {
      addCopies();
      single.push(event);
    }
  }
  addCopies();
  return single;
}

function copiesIn({ message, places }: Extract<Event, { kind: 'copies-put' }>): CopyPut[] {
  return places.flatMap((storeId, at) => {
    if (at % 2 === 1) return [];
    return [{ kind: 'message-put', storeId, message: { ...message, sequenceNumber: places[at + 1] ?? 0 } }];
  });
}
