// Seeded runs of the bare broker in which snapshots are taken and restored between the commands of clients, sometimes in a broker
// that has nothing else. What is durable after each restore keeps the invariants, and brings back the same broker after a crash.

import { expect, it } from 'vitest';
import { Broker } from '../../src/broker/broker.js';
import type { Command, SnapshotCommand } from '../../src/broker/contract/command.js';
import { countingGuids } from '../support/broker-builders.js';
import { drawConditions } from './conditions.js';
import { DurableRows } from './durable-rows.js';
import { Invariants } from './invariants.js';
import { CONTENT_READER } from './message-content.js';
import { Random } from './random.js';
import type { Conditions } from './reference-state.js';
import { SelectorMaker } from './selectors.js';
import { check } from './simulation-failure.js';
import { Workload } from './workload.js';

const SEEDS = 12;
const START = Date.UTC(2030, 0, 1);
const TURNS = 400;
const TURNS_BETWEEN_SNAPSHOTS = 50;

type Restore = Extract<SnapshotCommand, { readonly kind: 'restore-snapshot' }>;

it('restored snapshots break no invariant', () => {
  let restored = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      restored += new SnapshotRun(seed).run();
    } catch (cause) {
      throw new Error(`seed ${seed} has failed`, { cause });
    }
  }
  expect(restored).toBeGreaterThan(SEEDS);
}, 120_000);

class SnapshotRun {
  readonly #random: Random;
  readonly #conditions: Conditions;
  readonly #workload: Workload;
  readonly #nextGuid = countingGuids();
  #now = START;
  #rows = new DurableRows();
  #broker: Broker;
  #taken: Restore | undefined;
  #restoredCount = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#conditions = drawConditions(this.#random, { seed });
    this.#workload = new Workload(this.#random, this.#conditions, new SelectorMaker({ seed }));
    this.#broker = this.#fromRows();
  }

  /** Returns how many messages were restored. */
  run(): number {
    for (let turn = 1; turn <= TURNS; turn++) {
      this.#now = this.#workload.nextTime(this.#now, this.#broker.nextDeadline());
      this.#workload.learn(...this.#execute(this.#workload.next(this.#now)));
      if (turn % TURNS_BETWEEN_SNAPSHOTS !== 0) continue;
      if (this.#taken !== undefined) this.#restore(this.#taken);
      this.#take();
    }
    return this.#restoredCount;
  }

  #execute(command: Command): Parameters<Workload['learn']> {
    const done = this.#broker.execute(command, this.#now);
    const turn = { ...done, events: this.#rows.apply(done.events) };
    check(this.#broker.nextDeadline() > this.#now, 'a turn has left something due');
    return [command, turn];
  }

  #take(): void {
    const [, { result }] = this.#execute({ kind: 'take-snapshot' });
    this.#taken =
      result.kind === 'snapshot'
        ? { kind: 'restore-snapshot', snapshot: result.snapshot, contents: new Map(this.#rows.contents) }
        : undefined;
  }

  #restore(taken: Restore): void {
    if (this.#random.chance(0.3)) {
      this.#rows = new DurableRows();
      this.#broker = this.#fromRows();
    }
    const [, { result }] = this.#execute(taken);
    check(result.kind === 'restored', `a restore is answered by ${result.kind}`);
    this.#restoredCount += result.kind === 'restored' ? result.count : 0;
    this.#checkRows();
    // Links and their locks are no part of a snapshot, and the workload must forget them.
    this.#rows = this.#rows.copy();
    this.#broker = this.#fromRows();
    this.#workload.restart();
    this.#execute({ kind: 'tick' });
    this.#checkRows();
  }

  #checkRows(): void {
    const invariants = new Invariants(this.#rows, this.#conditions.behaviour.releaseLocksOnDetach);
    invariants.checkRows();
    invariants.checkCounts({ broker: this.#broker, now: this.#now });
    invariants.checkInspection({ broker: this.#broker, now: this.#now });
  }

  #fromRows(): Broker {
    const broker = new Broker({
      ...this.#conditions,
      nextGuid: this.#nextGuid,
      messageReader: CONTENT_READER,
    });
    broker.readContentsFrom((contentId) => {
      const content = this.#rows.contents.get(contentId);
      check(content !== undefined, 'a content is asked for that is not there');
      return content;
    });
    broker.restore(this.#rows.stored());
    return broker;
  }
}
