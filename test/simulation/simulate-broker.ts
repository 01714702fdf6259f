// One seeded run of the bare broker against the reference model, with crashes after which only what is durable is left.

import { countingGuids } from '../support/broker-builders.js';
import { BrokerRows } from '../support/broker-rows.js';
import { CheckedBroker } from './checked-broker.js';
import { Random } from './random.js';
import { ReferenceModel } from './reference-model.js';
import { SimulationFailure, type SimulationOptions } from './simulation-failure.js';
import { Tally } from './tally.js';
import { SIMULATION_LIMITS, Workload } from './workload.js';

const START = Date.UTC(2030, 0, 1);
/** Turns that a crash undoes at most, because they were not yet durable. */
const MAX_LOST_TURNS = 4;

/** A crash in `turnsLeft` turns, back to how everything was when it was decided on. */
type ComingCrash = { turnsLeft: number; readonly rows: BrokerRows; readonly model: ReferenceModel };

/** Throws a SimulationFailure when the broker does anything the model did not foretell. */
export function simulateBroker({ seed, turns }: SimulationOptions): Tally {
  const simulation = new BrokerSimulation(seed);
  for (let turn = 0; turn < turns; turn++) {
    try {
      simulation.step();
    } catch (error) {
      throw new SimulationFailure({ mode: 'broker', seed, turn, command: simulation.lastCommand }, error);
    }
  }
  return simulation.tally;
}

class BrokerSimulation {
  readonly tally = new Tally();
  readonly #random: Random;
  readonly #workload: Workload;
  readonly #nextGuid = countingGuids();
  readonly #crashChance: number;
  #now = START;
  #broker: CheckedBroker;
  #crash: ComingCrash | undefined;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#workload = new Workload(this.#random);
    this.#crashChance = this.#random.pick([0, 0.005, 0.02]);
    this.#broker = this.#restored(new ReferenceModel(SIMULATION_LIMITS), new BrokerRows());
  }

  get lastCommand() {
    return this.#broker.lastCommand;
  }

  step(): void {
    this.#now = this.#workload.nextTime(this.#now, this.#broker.nextDeadline());
    const command = this.#workload.next();
    const turn = this.#broker.execute(command, this.#now);
    this.#workload.learn(command, turn);
    this.#maybeCrash();
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
    model.restart();
    this.#workload.restart();
    this.#broker = this.#restored(model, rows);
  }

  #restored(model: ReferenceModel, rows: BrokerRows): CheckedBroker {
    const broker = new CheckedBroker({ model, nextGuid: this.#nextGuid, tally: this.tally });
    broker.restore(rows.stored());
    broker.checkRestored(rows.contents);
    return broker;
  }
}
