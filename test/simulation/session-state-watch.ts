// What has been stored with each session, as one sees it from outside: it stays until it is replaced or cleared (E.4, 3).

import type { Result } from '../../src/broker/result.js';
import { check } from './check.js';
import type { DurableRows } from './durable-rows.js';
import type { Step } from './invariants.js';
import type { Part } from './parts-of-step.js';
import { isRemoval } from './stored-entities.js';

export class SessionStateWatch {
  readonly #rows: DurableRows;
  /** By store and session. */
  readonly #states = new Map<string, Uint8Array>();

  constructor(rows: DurableRows) {
    this.#rows = rows;
    for (const { storeId, state } of rows.sessionStates()) {
      const content = rows.contents.get(state.contentId);
      if (content !== undefined) this.#states.set(keyOf(storeId, state.sessionId), content);
    }
  }

  afterTurn(step: Step): void {
    const { parts } = step;
    for (const event of step.turn.events) {
      if (event.kind === 'session-state-removed') this.#checkRemoved(event.storeId, parts, step);
      if (event.kind === 'session-state-put') {
        const isSet = parts.some(({ command }) => command.kind === 'set-session-state');
        check(isSet, 'a session state was set by nobody');
      }
    }
    for (const part of parts) this.#notePart(part);
  }

  #notePart({ command, result }: Part): void {
    if (command.kind !== 'set-session-state' && command.kind !== 'get-session-state') return;
    const storeId = this.#rows.entities.storeAt(command.entityPath);
    if (storeId === undefined || result.kind === 'failed') return;
    const key = keyOf(storeId, command.session.sessionId);
    if (command.kind === 'get-session-state') this.#checkTold(key, result);
    else if (command.state === undefined) this.#states.delete(key);
    else this.#states.set(key, command.state);
  }

  /** 3: only who holds the session clears its state, or it goes with the queue. */
  #checkRemoved(storeId: number, parts: readonly Part[], { turn }: Step): void {
    const isCleared = parts.some(
      ({ command }) => command.kind === 'set-session-state' && command.state === undefined,
    );
    const isQueueGone = turn.events.some((event) => isRemoval(event) && event.storeId === storeId);
    check(isCleared || isQueueGone, 'invariant E.4: a session has lost its state');
  }

  #checkTold(key: string, result: Result): void {
    if (result.kind !== 'session-state') return;
    const { contents, releasedContents } = this.#rows;
    const id = result.contentId;
    const told = id === undefined ? undefined : (contents.get(id) ?? releasedContents.get(id));
    check(told === this.#states.get(key), 'invariant E.4: a session state is not what was set');
  }
}

function keyOf(storeId: number, sessionId: string): string {
  return `${storeId} ${sessionId}`;
}
