// A broker under supervision: every turn is compared with the reference model and held against the invariants.

import { Broker, type Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/command.js';
import type { StoredEvent } from '../../src/broker/event.js';
import { BrokerRows } from '../support/broker-rows.js';
import { checkSame } from './check.js';
import { compareState, compareTurn } from './comparison.js';
import { Invariants } from './invariants.js';
import type { ReferenceModel } from './reference-model.js';
import type { Tally } from './tally.js';
import { SIMULATION_LIMITS } from './workload.js';

export type CheckedBrokerOptions = {
  /** What must be in the journal the broker is restored from. */
  readonly model: ReferenceModel;
  readonly nextGuid: () => string;
  readonly tally: Tally;
};

export class CheckedBroker {
  readonly model: ReferenceModel;
  /** Everything the broker has said is to be durable. */
  readonly rows = new BrokerRows();
  lastCommand: Command | undefined;
  readonly #broker: Broker;
  readonly #tally: Tally;
  #invariants = new Invariants(this.rows);

  constructor({ model, nextGuid, tally }: CheckedBrokerOptions) {
    this.model = model;
    this.#tally = tally;
    this.#broker = new Broker({ limits: SIMULATION_LIMITS, nextGuid });
  }

  restore(stored: readonly StoredEvent[]): void {
    this.rows.apply(stored);
    this.#broker.restore(stored);
  }

  /** To be called when all is restored: this is what the model remembers, and nothing else. */
  checkRestored(contents: ReadonlyMap<number, Uint8Array>): void {
    for (const [contentId, content] of contents) this.rows.contents.set(contentId, content);
    compareState(this.model.state, this.rows);
    for (const { message } of this.rows.messages()) {
      checkSame(this.isContentNeeded(message.contentId), true, 'a content is needed and not known');
    }
    this.#invariants = new Invariants(this.rows);
    this.#invariants.checkRows();
  }

  execute(command: Command, now: number): Turn {
    this.lastCommand = command;
    const expected = this.model.execute(command, now);
    const turn = this.#broker.execute(command, now);
    this.rows.apply(turn.events);
    compareTurn(expected, turn, this.rows);
    compareState(this.model.state, this.rows);
    checkSame(this.nextDeadline(), this.model.nextDeadline(), 'the next deadline is wrong');
    this.#invariants.afterTurn({ command, turn, now, broker: this.#broker });
    this.#invariants.checkRows();
    this.#tally.noteTurn(command, turn);
    return turn;
  }

  nextDeadline(): number {
    return this.#broker.nextDeadline();
  }

  holdsLock(lockToken: string, now: number): boolean {
    return this.#broker.holdsLock(lockToken, now);
  }

  isContentNeeded(contentId: number): boolean {
    return this.#broker.isContentNeeded(contentId);
  }
}
