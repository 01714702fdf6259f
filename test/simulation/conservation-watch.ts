// Nothing leaves the namespace without a reason (TOP-01, D.5 invariant 1): watched from outside and without the reference model.

import type { Command } from '../../src/broker/command.js';
import type { Effect } from '../../src/broker/effect.js';
import type { MessageRecord } from '../../src/broker/event.js';
import { MESSAGE_STATE } from '../../src/broker/message/message-properties.js';
import { check } from './check.js';
import type { DurableRows } from './durable-rows.js';
import type { Step } from './invariants.js';
import type { Part } from './parts-of-step.js';
import { isRemoval } from './stored-entities.js';

/** Commands by which whoever asks takes messages away. */
const TAKING: readonly Command['kind'][] = ['receive-deferred', 'cancel-scheduled', 'delete-messages'];

export class ConservationWatch {
  readonly #rows: DurableRows;
  /** Every message there is, by store and number. */
  readonly #messages = new Map<string, MessageRecord>();
  /** Links that take nothing away. */
  readonly #browsers = new Set<number>();

  constructor(rows: DurableRows) {
    this.#rows = rows;
    for (const { storeId, message } of rows.messages()) {
      this.#messages.set(`${storeId} ${message.sequenceNumber}`, message);
    }
  }

  /** To be called when the events are in the rows. */
  afterTurn(step: Step): void {
    const { command, turn } = step;
    const { events, effects } = turn;
    if (command.kind === 'attach-browser') this.#browsers.add(command.linkId);
    const taken = effects.filter(isTaken).filter(({ linkId }) => !this.#browsers.has(linkId));
    const takenAway = new Set(taken.map(({ delivery }) => delivery.contentId));
    const removedStores = new Set<number>();
    for (const event of events) {
      if (!isRemoval(event)) continue;
      for (const id of this.#rows.entities.storesOf(event.storeId)) removedStores.add(id);
    }
    for (const event of events) {
      if (event.kind === 'message-put') {
        this.#messages.set(`${event.storeId} ${event.message.sequenceNumber}`, event.message);
      }
      if (event.kind !== 'message-removed') continue;
      const key = `${event.storeId} ${event.sequenceNumber}`;
      const message = this.#messages.get(key);
      this.#messages.delete(key);
      check(message !== undefined, 'a message is removed that was not there');
      const mayGo =
        removedStores.has(event.storeId) ||
        takenAway.has(message.contentId) ||
        this.#isMoved(message, step) ||
        this.#rows.entities.mayForward(event.storeId) ||
        this.#isOver(event.storeId, message, step);
      check(mayGo, 'conservation: a message has gone for no reason');
    }
  }

  /** Into a dead-letter queue, to its new number, or from a topic to its subscriptions. */
  #isMoved({ contentId, state }: MessageRecord, { turn }: Step): boolean {
    if (state === MESSAGE_STATE.scheduled && this.#rows.nameCount(contentId) === 0) return true; // no rule matched
    return turn.events.some((event) => event.kind === 'message-put' && event.message.contentId === contentId);
  }

  /** Completed, expired or taken away. */
  #isOver(storeId: number, { expiresAt }: MessageRecord, { parts, now }: Step): boolean {
    if (parts.some(mayRemove)) return true;
    // SES-18: with what has expired its session may go.
    return expiresAt <= now || this.#rows.entities.requiresSession(storeId);
  }
}

function mayRemove({ command, result }: Part): boolean {
  const isSettled = (command.kind === 'settle' || command.kind === 'settle-many') && result.kind === 'done';
  if (isSettled && command.outcome.kind === 'complete') return true;
  return TAKING.includes(command.kind) && result.kind !== 'failed';
}

function isTaken(effect: Effect): effect is Extract<Effect, { kind: 'deliver' }> {
  return effect.kind === 'deliver' && effect.delivery.lockToken === undefined;
}
