// A message on the timeline: how long it has been in one store, who held it there, and where it came from.

import type { PageEvent } from '../../state/page-event.js';
import type { Followable } from './timeline-filter.js';

/** One event, and the place it has on the time axis. */
export type Mark = {
  readonly id: number;
  /** Milliseconds since 1970 by the machine of this page. */
  readonly at: number;
  readonly event: PageEvent;
  readonly stay: Stay | undefined;
};

/** A delivery, from its lock to its end. */
export type Hold = {
  /** The lane of the consumer. */
  readonly lane: string;
  readonly start: Mark;
  end: Mark | undefined;
  /** 1 for the first. */
  readonly delivery: number;
};

/** How a message came into a store. */
export type Source =
  | { readonly kind: 'sent'; readonly lane: string }
  | { readonly kind: 'routed' | 'forwarded' | 'dead' | 'moved'; readonly stay: Stay };

/** One message in one store. */
export type Stay = Followable & {
  readonly key: string;
  readonly lane: string;
  /** Undefined if the record does not reach back to it. */
  readonly arrival: Mark | undefined;
  source: Source | undefined;
  readonly rule: string | undefined;
  root: Stay;
  readonly holds: Hold[];
  /** The event with which it left the store. */
  end: Mark | undefined;
};

/** The hold that goes on. */
export function openHold({ holds }: Stay): Hold | undefined {
  const last = holds.at(-1);
  return last?.end === undefined ? last : undefined;
}

/** The first time that is known of it. */
export function beginOf({ arrival, holds, end }: Stay): number {
  return arrival?.at ?? holds[0]?.start.at ?? end?.at ?? 0;
}

/** The id that the messages that belong together have in common. */
export function groupOf({ correlationId, sessionId }: Followable): string | undefined {
  return correlationId ?? sessionId;
}
