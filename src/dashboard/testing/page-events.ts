// Events as the page reads them, numbered in their order, at times that a test chooses.

import type { PageEvent } from '../state/page-event.js';

export const EVENTS_START = Date.parse('2026-05-01T12:00:00.000Z');

export class PageEvents {
  #lastId = 0;

  /** An event so many milliseconds after the start. */
  at(ms: number, kind: string, given: Partial<PageEvent> = {}): PageEvent {
    this.#lastId += 1;
    const time = new Date(EVENTS_START + ms).toISOString();
    return { id: this.#lastId, time, kind, path: 'orders', sequenceNumber: 1, ...given };
  }
}

export const WEB = { connectionId: 1, name: 'web' };
export const WORKER = { connectionId: 2, name: 'worker' };
