// One seeded run of the bare broker against the reference model, with crashes after which only what is durable is left.

import type { StoredEvent } from '../../src/broker/contract/event.js';
import { countingGuids } from '../support/broker-builders.js';
import { CheckedBroker, type MakeBroker } from './checked-broker.js';
import { drawConditions } from './conditions.js';
import { DurableRows } from './durable-rows.js';
import { Random } from './random.js';
import { ReferenceModel } from './reference-model.js';
import type { Conditions } from './reference-state.js';
import { SelectorMaker } from './selectors.js';
import { FullTurn, SimulationFailure, type SimulationOptions } from './simulation-failure.js';
import { Tally } from './tally.js';
import { Workload } from './workload.js';

export type BrokerSimulationOptions = SimulationOptions & { readonly makeBroker?: MakeBroker };

const START = Date.UTC(2030, 0, 1);
/** Turns that a crash undoes at most, because they were not yet durable. */
const MAX_LOST_TURNS = 4;
const GROUPS_IN_ORDER: readonly ReturnType<typeof groupOf>[] = [
  'queue',
  'topic',
  'subscription',
  'rule-put',
  'store-emptied',
  'rows-discarded',
  'sequence-put',
  'message-id-noted',
  'session-state-put',
  'message-put',
];

/** Subscriptions come after their topics. */
function groupOf(event: StoredEvent) {
  return event.kind === 'entity-put' ? event.entity.type : event.kind;
}

/** A crash in `turnsLeft` turns, back to how everything was when it was decided on. */
type ComingCrash = { turnsLeft: number; readonly rows: DurableRows; readonly model: ReferenceModel };

/** Throws a SimulationFailure when the broker does anything the model did not foretell. */
export function simulateBroker(options: BrokerSimulationOptions): Tally {
  const { seed, turns } = options;
  const simulation = new BrokerSimulation(options);
  for (let turn = 0; turn < turns; turn++) {
    try {
      simulation.step();
      if (turn === turns - 1) simulation.end();
    } catch (error) {
      if (error instanceof FullTurn) {
        simulation.tally.note('full turn');
        break;
      }
      throw new SimulationFailure({ mode: 'broker', seed, turn, command: simulation.lastCommand }, error);
    }
  }
  return simulation.tally;
}

class BrokerSimulation {
  readonly tally = new Tally();
  readonly #random: Random;
  readonly #conditions: Conditions;
  readonly #workload: Workload;
  readonly #makeBroker: MakeBroker | undefined;
  readonly #nextGuid = countingGuids();
  readonly #crashChance: number;
  #now = START;
  #broker: CheckedBroker;
  #crash: ComingCrash | undefined;

  constructor(options: BrokerSimulationOptions) {
    this.#random = new Random(options.seed);
    this.#makeBroker = options.makeBroker;
    this.#conditions = drawConditions(this.#random, options);
    this.#workload = new Workload(this.#random, this.#conditions, new SelectorMaker(options));
    this.#crashChance = this.#random.pick([0, 0.005, 0.02]);
    this.#broker = this.#restored(new ReferenceModel(this.#conditions), new DurableRows());
  }

  get lastCommand() {
    return this.#broker.lastCommand;
  }

  step(): void {
    this.#now = this.#workload.nextTime(this.#now, this.#broker.nextDeadline());
    const command = this.#workload.next(this.#now);
    const turn = this.#broker.execute(command, this.#now);
    this.#workload.learn(command, turn);
    this.#maybeCrash();
  }

  /** After a tick: the last turn may have ended in a crash, after which much may be due. */
  end(): void {
    this.#broker.execute({ kind: 'tick' }, this.#now);
    this.#broker.checkAll(this.#now);
  }

  #maybeCrash(): void {
    if (this.#crash !== undefined) {
      this.#crash.turnsLeft -= 1;
    } else if (this.#random.chance(this.#crashChance)) {
      const { rows, model } = this.#broker;
      const turnsLeft = this.#random.integer(MAX_LOST_TURNS + 1);
      this.#crash = { turnsLeft, rows: rows.copy(), model: model.copy() };
    }
    if (this.#crash?.turnsLeft === 0) this.#restart(this.#crash);
  }

  /** The turns since the crash was decided on were never durable: nobody was told, and nothing of them is left. */
  #restart({ rows, model }: ComingCrash): void {
    this.tally.note('crash');
    this.#crash = undefined;
    for (const what of model.restart()) this.tally.note(what);
    this.#workload.restart();
    this.#broker = this.#restored(model, rows);
  }

  #restored(model: ReferenceModel, rows: DurableRows): CheckedBroker {
    const broker = new CheckedBroker({
      model,
      conditions: this.#conditions,
      nextGuid: this.#nextGuid,
      tally: this.tally,
      makeBroker: this.#makeBroker,
    });
    const stored = rows.stored();
    for (const name of GROUPS_IN_ORDER) {
      const group = stored.filter((event) => groupOf(event) === name);
      broker.restore(this.#random.chance(0.5) ? group : this.#random.shuffled(group));
    }
    broker.checkRestored(rows.contents);
    return broker;
  }
}
