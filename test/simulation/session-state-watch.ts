// What has been stored with each session, as one sees it from outside: it stays until it is replaced or cleared (E.4, 3).

import { check } from './check.js';
import type { DurableRows } from './durable-rows.js';
import type { Step } from './invariants.js';
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
    const { command, turn } = step;
    for (const event of turn.events) {
      if (event.kind === 'session-state-removed') this.#checkRemoved(event.storeId, step);
      if (event.kind === 'session-state-put') {
        check(command.kind === 'set-session-state', 'a session state was set by nobody');
      }
    }
    if (command.kind !== 'set-session-state' && command.kind !== 'get-session-state') return;
    const storeId = this.#rows.entities.storeAt(command.entityPath);
    if (storeId === undefined || turn.result.kind === 'failed') return;
    const key = keyOf(storeId, command.session.sessionId);
    if (command.kind === 'get-session-state') this.#checkTold(key, step);
    else if (command.state === undefined) this.#states.delete(key);
    else this.#states.set(key, command.state);
  }

  /** 3: only who holds the session clears its state, or it goes with the queue. */
  #checkRemoved(storeId: number, { command, turn }: Step): void {
    const isCleared = command.kind === 'set-session-state' && command.state === undefined;
    const isQueueGone = turn.events.some((event) => isRemoval(event) && event.storeId === storeId);
    check(isCleared || isQueueGone, 'invariant E.4: a session has lost its state');
  }

  #checkTold(key: string, { turn: { result } }: Step): void {
    if (result.kind !== 'session-state') return;
    const told = result.contentId === undefined ? undefined : this.#rows.contents.get(result.contentId);
    check(told === this.#states.get(key), 'invariant E.4: a session state is not what was set');
  }
}

function keyOf(storeId: number, sessionId: string): string {
  return `${storeId} ${sessionId}`;
}
