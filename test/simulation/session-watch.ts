// Sessions seen from outside: who holds which one, and the state stored with each (the invariants of semantics E.4).

import type { Command, SessionClaim } from '../../src/broker/contract/command.js';
import type { Delivery, Effect } from '../../src/broker/contract/effect.js';
import { MESSAGE_STATE } from '../../src/broker/contract/message-properties.js';
import type { FoundMessage, Result } from '../../src/broker/contract/result.js';
import type { DurableRows } from './durable-rows.js';
import { check } from './simulation-failure.js';
import type { Part, Step } from './steps.js';

class SessionStateWatch {
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
      if (event.kind === 'rows-discarded') this.#dropStates(event.rowsId);
      if (event.kind === 'session-state-removed') this.#checkRemoved(event.storeId, parts, step);
      if (event.kind === 'session-state-put') {
        const isSet = parts.some(
          ({ command: { kind } }) => kind === 'set-session-state' || kind === 'import-messages',
        );
        check(isSet, 'a session state was set by nobody');
      }
    }
    for (const part of parts) this.#notePart(part);
  }

  #dropStates(storeId: number): void {
    for (const key of this.#states.keys()) if (key.startsWith(keyOf(storeId, ''))) this.#states.delete(key);
  }

  #notePart(part: Part): void {
    const { command, result } = part;
    if (command.kind === 'import-messages') return this.#noteImport(command, result);
    if (command.kind !== 'set-session-state' && command.kind !== 'get-session-state') return;
    const storeId = this.#rows.entities.storeAt(command.entityPath);
    if (storeId === undefined || result.kind === 'failed') return;
    const key = keyOf(storeId, command.session.sessionId);
    if (command.kind === 'get-session-state') this.#checkTold(key, result);
    else if (command.state === undefined) this.#states.delete(key);
    else this.#states.set(key, command.state);
  }

  #noteImport(
    { entityPath, sessionStates = [] }: Extract<Command, { kind: 'import-messages' }>,
    result: Result,
  ): void {
    const storeId = this.#rows.entities.storeAt(entityPath);
    if (storeId === undefined || result.kind === 'failed') return;
    for (const { sessionId, state } of sessionStates) this.#states.set(keyOf(storeId, sessionId), state);
  }

  /** 3: only who holds the session clears its state, or it goes with the queue. */
  #checkRemoved(storeId: number, parts: readonly Part[], { turn }: Step): void {
    const isCleared = parts.some(
      ({ command }) => command.kind === 'set-session-state' && command.state === undefined,
    );
    const isQueueGone = turn.events.some(
      (event) => event.kind === 'entity-removed' && event.storeId === storeId,
    );
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

/** One holder's time with a session; what it has locked is locked as long. */
export type SessionHold = {
  readonly storeId: number;
  readonly sessionId: string;
  readonly linkId: number;
  readonly connectionId: number;
  until: number;
  /** Not that of a receive-and-delete receiver (SES-12). */
  readonly runsOut: boolean;
  isOver: boolean;
  /** Given up, and not run out: what was out is not counted (SES-14). */
  isGivenUp: boolean;
};

type Acceptor = {
  readonly storeId: number;
  readonly connectionId: number;
  readonly runsOut: boolean;
};

export class SessionWatch {
  /** Of the deliveries of the last turn. */
  readonly holdOfDelivery = new Map<Delivery, SessionHold>();
  readonly endedHolds: SessionHold[] = [];
  readonly #rows: DurableRows;
  readonly #states: SessionStateWatch;
  readonly #acceptors = new Map<number, Acceptor>();
  /** Those that have not ended. */
  #holds: SessionHold[] = [];
  /** Link ids, in order of arrival. */
  #waiting: number[] = [];
  /** By message, also of what has left its session store. */
  readonly #sessionIds = new Map<string, string>();

  constructor(rows: DurableRows) {
    this.#rows = rows;
    this.#states = new SessionStateWatch(rows);
    for (const { storeId, message } of rows.messages()) {
      const key = rows.keyOf(storeId, message.sequenceNumber);
      if (message.sessionId !== undefined) this.#sessionIds.set(key, message.sessionId);
    }
  }

  afterTurn(step: Step): void {
    const { command, turn, now } = step;
    this.holdOfDelivery.clear();
    this.endedHolds.length = 0;
    this.#noteMessages(step);
    this.#noteAcceptor(step);
    for (const effect of turn.effects) this.#noteEffect(effect, step);
    if (command.kind === 'detach') this.#drop(command.linkId, { isGivenUp: true });
    for (const { until, runsOut } of this.#holds) {
      // Before it is renewed by this turn, if it is: what is due comes first.
      check(until > now || !runsOut, 'SES-12: a session is held though its lock has ended');
    }
    for (const part of step.parts) this.#checkClaim(part);
    this.#states.afterTurn(step);
    this.#checkNobodyWaitsInVain(now);
  }

  /** Undefined when nobody holds the claimed session in this way. */
  findHold(storeId: number | undefined, claim: SessionClaim): SessionHold | undefined {
    return this.#holds.find((hold) => isOf(hold, storeId, claim));
  }

  /** 2: of what was asked for by number. */
  checkMessage({ properties }: Delivery | FoundMessage, hold: SessionHold): void {
    const sessionId = this.#sessionIds.get(this.#rows.keyOf(hold.storeId, properties.sequenceNumber));
    check(sessionId === hold.sessionId, 'invariant E.4: a message went to the holder of another session');
  }

  #noteMessages({ turn: { events } }: Step): void {
    for (const event of events) {
      if (event.kind !== 'message-put' || event.message.sessionId === undefined) continue;
      const key = this.#rows.keyOf(event.storeId, event.message.sequenceNumber);
      this.#sessionIds.set(key, event.message.sessionId);
    }
  }

  #noteAcceptor({ command, turn: { result } }: Step): void {
    if (command.kind !== 'accept-session' || result.kind !== 'entity') return;
    const storeId = this.#rows.entities.storeAt(result.path);
    // The queue may be gone in the same turn only by its idle deletion, which came before.
    check(storeId !== undefined, 'a session of nothing was accepted');
    const { linkId, connectionId, receiveMode } = command;
    this.#acceptors.set(linkId, { storeId, connectionId, runsOut: receiveMode === 'peek-lock' });
    if (command.sessionId === undefined) this.#waiting.push(command.linkId);
  }

  #noteEffect(effect: Effect, { command, now }: Step): void {
    const { linkId } = effect;
    switch (effect.kind) {
      case 'session-accepted':
        this.#noteAccepted(effect, command);
        break;
      case 'deliver':
        this.#noteDelivery(linkId, effect.delivery);
        break;
      case 'detach': {
        const isLost = effect.error.reason === 'session-lock-lost';
        const hold = this.#holds.find((one) => one.linkId === linkId);
        const isOver = (hold?.until ?? now + 1) <= now || command.kind === 'end-session';
        check(!isLost || isOver, 'SES-12: a session lock ended before its time');
        this.#drop(linkId, { isGivenUp: !isLost });
        break;
      }
      case 'drained':
        break;
    }
  }

  /** 1, and SES-07: the longest waiting one is served first. */
  #noteAccepted(
    { linkId, sessionId, lockedUntil }: Extract<Effect, { kind: 'session-accepted' }>,
    command: Command,
  ): void {
    const acceptor = this.#acceptors.get(linkId);
    check(acceptor !== undefined, 'a session was given to a link that is not there');
    const { storeId, connectionId, runsOut } = acceptor;
    const goingId = command.kind === 'detach' ? command.linkId : undefined;
    if (this.#waiting.includes(linkId)) {
      const first = this.#waiting.find(
        (id) => this.#acceptors.get(id)?.storeId === storeId && (id === linkId || id !== goingId),
      );
      check(first === linkId, 'SES-07: somebody has waited longer for a session');
    }
    const held = this.#holds.find((hold) => hold.storeId === storeId && hold.sessionId === sessionId);
    if (held?.linkId === goingId && goingId !== undefined) this.#drop(goingId, { isGivenUp: true });
    else check(held === undefined, 'invariant E.4: a session has two holders');
    const isFirst = this.#holds.every((hold) => hold.linkId !== linkId);
    check(isFirst, 'a link holds two sessions');
    this.#waiting = this.#waiting.filter((id) => id !== linkId);
    const span = { until: lockedUntil, runsOut, isOver: false, isGivenUp: false };
    this.#holds.push({ storeId, sessionId, linkId, connectionId, ...span });
  }

  /** 4, and 2: what is delivered goes to the holder of its session. */
  #noteDelivery(linkId: number, delivery: Delivery): void {
    if (!this.#acceptors.has(linkId)) return;
    const hold = this.#holds.find((one) => one.linkId === linkId);
    check(hold !== undefined, 'invariant E.4: a link without a session was given a message');
    this.checkMessage(delivery, hold);
    this.holdOfDelivery.set(delivery, hold);
  }

  #drop(linkId: number, { isGivenUp }: { readonly isGivenUp: boolean }): void {
    for (const hold of this.#holds) {
      if (hold.linkId !== linkId) continue;
      hold.isOver = true;
      hold.isGivenUp = isGivenUp;
      this.endedHolds.push(hold);
    }
    this.#holds = this.#holds.filter(({ isOver }) => !isOver);
    this.#waiting = this.#waiting.filter((id) => id !== linkId);
    this.#acceptors.delete(linkId);
  }

  /** X13: what succeeds with a claim was asked for by the holder. */
  #checkClaim({ command, result }: Part): void {
    if (!('session' in command) || command.session === undefined || result.kind === 'failed') return;
    const storeId = this.#rows.entities.storeAt(command.entityPath);
    if (storeId === undefined || !this.#rows.entities.requiresSession(storeId)) return;
    const { session } = command;
    // A later command of the same step may have taken it away.
    const ended = this.endedHolds.find((one) => isOf(one, storeId, session));
    const hold = this.findHold(storeId, session) ?? ended;
    check(hold !== undefined, 'X13: a claim was accepted of somebody who does not hold the session');
    if (result.kind === 'renewed') hold.until = result.lockedUntil[0] ?? 0;
  }

  /** X4. */
  #checkNobodyWaitsInVain(now: number): void {
    const storeIds = new Set(this.#waiting.map((linkId) => this.#acceptors.get(linkId)?.storeId));
    for (const storeId of storeIds) {
      if (storeId === undefined) continue;
      for (const { message } of this.#rows.messagesOf(storeId)) {
        if (message.state !== MESSAGE_STATE.active || message.expiresAt <= now) continue;
        const isHeld = this.#holds.some(
          (hold) => hold.storeId === storeId && hold.sessionId === message.sessionId,
        );
        check(isHeld, 'X4: somebody waits for a session, and there is one');
      }
    }
  }
}

function isOf(hold: SessionHold, storeId: number | undefined, claim: SessionClaim): boolean {
  return (
    hold.storeId === storeId && hold.sessionId === claim.sessionId && hold.connectionId === claim.connectionId
  );
}
