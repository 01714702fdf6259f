// The step that somebody looks at: a token under the pointer or with the focus, or a row of the list. It holds the view still.

import { signal } from '@preact/signals';
import { lookedAtSince } from './live.js';
import type { Tip } from './timeline-labels.js';
import type { Stay } from './timeline-message.js';

export type Pointed = {
  readonly stay: Stay | undefined;
  /** Undefined for a row of the list, which says all itself. */
  readonly tip: Tip | undefined;
  readonly x: number;
  /** From the top, or from the bottom for a tip above its token. */
  readonly y: number;
  readonly isAbove: boolean;
};

export const pointed = signal<Pointed | undefined>(undefined);

export function pointAt(next: Pointed | undefined): void {
  pointed.value = next;
  lookedAtSince.value = next?.tip === undefined ? undefined : (lookedAtSince.peek() ?? Date.now());
}
