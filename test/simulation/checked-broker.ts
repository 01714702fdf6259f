// A broker under supervision: every turn is compared with the reference model and held against the invariants.

import { Broker, type BrokerOptions, type Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/contract/command.js';
import { changeCountOf, type StoredEvent } from '../../src/broker/contract/event.js';
import { costOf, FULL_COST } from '../../src/broker/turn/turn-in-progress.js';
import type { TurnBroker } from '../../src/engine/engine.js';
import { compareState, compareTurn } from './comparison.js';
import { DurableRows } from './durable-rows.js';
import { Invariants } from './invariants.js';
import { CONTENT_READER } from './message-content.js';
import type { ReferenceModel } from './reference-model.js';
import type { Conditions, ToldFanOut } from './reference-state.js';
import { check, checkSame, FullTurn } from './simulation-failure.js';
import type { StoredEntity } from './stored-entities.js';
import type { Tally } from './tally.js';

/** The broker, or one that has been broken to see that it is found out. */
export type MakeBroker = (options: BrokerOptions) => TurnBroker;

export type CheckedBrokerOptions = {
  /** What must be in the journal the broker is restored from. */
  readonly model: ReferenceModel;
  readonly conditions: Conditions;
  readonly nextGuid: () => string;
  readonly tally: Tally;
  readonly makeBroker?: MakeBroker | undefined;
};

const TURNS_BETWEEN_FULL_CHECKS = 50;

export class CheckedBroker {
  readonly model: ReferenceModel;
  /** Everything the broker has said is to be durable. */
  readonly rows = new DurableRows();
  lastCommand: Command | undefined;
  readonly #broker: TurnBroker;
  readonly #conditions: Conditions;
  readonly #tally: Tally;
  #invariants: Invariants;
  #turnCount = 0;

  constructor({ model, conditions, nextGuid, tally, makeBroker }: CheckedBrokerOptions) {
    this.model = model;
    this.#conditions = conditions;
    this.#tally = tally;
    const options = { ...conditions, nextGuid, messageReader: CONTENT_READER };
    this.#broker = makeBroker === undefined ? new Broker(options) : makeBroker(options);
    this.readContentsFrom((contentId) => this.#contentOf(contentId));
    this.#invariants = this.#freshInvariants();
  }

  readContentsFrom(read: (contentId: number) => Uint8Array): void {
    this.#broker.readContentsFrom(read);
  }

  restore(stored: readonly StoredEvent[]): void {
    this.rows.apply(stored);
    this.#broker.restore(stored);
  }

  /** To be called when all is restored: this is what the model remembers, and nothing else. */
  checkRestored(contents: ReadonlyMap<number, Uint8Array>): void {
    for (const [contentId, content] of contents) this.rows.contents.set(contentId, content);
    compareState(this.model.state, this.rows);
    this.#invariants = this.#freshInvariants();
    this.#invariants.checkRows();
  }

  execute(command: Command, now: number): Turn {
    this.lastCommand = command;
    const done = this.#broker.execute(command, now);
    if (mayBeFull(done)) throw new FullTurn();
    const before = [...this.rows.entities.all()];
    const turn = { ...done, events: this.rows.apply(done.events) };
    const told = { removed: this.#removedIn(turn), fanOuts: this.#fanOutsIn(turn, before) };
    const expected = this.model.execute(command, now, told);
    compareTurn(expected, turn, this.rows);
    this.#checkDeadline(now);
    this.#invariants.afterTurn({ command, turn, now, broker: this.#broker });
    this.#turnCount += 1;
    if (this.#turnCount % TURNS_BETWEEN_FULL_CHECKS === 0) this.checkAll(now);
    this.#tally.noteTurn(command, turn, expected.happened);
    return done;
  }

  /** Everything there is; after the turns of `now`. */
  checkAll(now: number): void {
    compareState(this.model.state, this.rows);
    this.#invariants.checkRows();
    this.#invariants.checkCounts({ broker: this.#broker, now });
    this.#invariants.checkInspection({ broker: this.#broker, now });
    for (const { messages } of this.model.state.queues) {
      for (const { lock } of messages) {
        if (lock !== undefined) checkSame(this.holdsLock(lock.token, now), true, 'a lock is lost');
      }
    }
  }

  nextDeadline(): number {
    return this.#broker.nextDeadline();
  }

  holdsLock(lockToken: string, now: number): boolean {
    return this.#broker.holdsLock(lockToken, now);
  }

  continueContentIds(upcoming: number): void {
    this.#broker.continueContentIds(upcoming);
  }

  #removedIn({ events }: Turn): readonly string[] {
    return events.flatMap((event) => {
      if (event.kind === 'rows-discarded') return [`${this.rows.entities.placeOf(event.rowsId)} emptied`];
      if (event.kind !== 'message-removed') return [];
      return [`${this.rows.entities.placeOf(event.storeId)} ${event.sequenceNumber}`];
    });
  }

  /** `before`: the entities as they were before the turn, in which copies were made of messages that have waited. */
  #fanOutsIn({ events }: Turn, before: readonly StoredEntity[]): readonly ToldFanOut[] {
    const { entities } = this.rows;
    let removedCount = -0.5; // between two removals
    return events.flatMap((event): readonly ToldFanOut[] => {
      if (event.kind === 'rows-discarded' || event.kind === 'message-removed') removedCount += 1;
      if (event.kind !== 'message-put' && event.kind !== 'message-removed') return [];
      if (!entities.isFanOutStore(event.storeId)) return [];
      const place = entities.placeOf(event.storeId);
      if (event.kind === 'message-removed') {
        const key = `${place} ${event.sequenceNumber}`;
        return [{ key, removedCount, rest: [], copyCount: 0, isComplete: true }];
      }
      const { sequenceNumber, details } = event.message;
      const copiedTo = details?.copiedTo;
      const topicStoreId = entities.mainStoreOf(event.storeId);
      const all = before.filter(
        (entity) => entity.type === 'subscription' && entity.topicStoreId === topicStoreId,
      );
      const rest = all.filter(({ storeId }) => storeId >= (copiedTo?.storeId ?? 0));
      rest.sort((a, b) => a.storeId - b.storeId);
      const copyCount = rest[0]?.storeId === copiedTo?.storeId ? (copiedTo?.copyCount ?? 0) : 0;
      const key = `${place} ${sequenceNumber}`;
      return [{ key, removedCount, rest: rest.map(({ path }) => path), copyCount, isComplete: false }];
    });
  }

  #contentOf(contentId: number): Uint8Array {
    const content = this.rows.contents.get(contentId);
    check(content !== undefined, 'a content is asked for that is not there');
    return content;
  }

  /** It may be early: then nothing happens. */
  #checkDeadline(now: number): void {
    const next = this.nextDeadline();
    check(next > now, `a turn has left something due at ${next}, before ${now}`);
    const latest = this.model.nextDeadline();
    check(next <= latest, `the next deadline is ${next}, after ${latest}`);
  }

  #freshInvariants(): Invariants {
    return new Invariants(this.rows, this.#conditions.behaviour.releaseLocksOnDetach);
  }
}

/** The most that a copy costs besides its event, with the rules that were judged and the action that was carried out for it. */
const MOST_COPY_COST = 25;

function mayBeFull(turn: Turn): boolean {
  const costs = turn.events.map((event) =>
    event.kind === 'copies-put' ? MOST_COPY_COST * changeCountOf(event) : 0,
  );
  return costs.reduce((sum, cost) => sum + cost, costOf(turn)) >= FULL_COST;
}
