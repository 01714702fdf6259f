// An emulator whose faults, and the time that they take, are in the hands of a test, and which shows what its broker has done.

import { expect } from 'vitest';
import type { InspectedMessage } from '../../src/broker/contract/inspection.js';
import { Faults } from '../../src/steer/faults.js';
import type { RecordOf } from '../../src/watch/activity-record.js';
import { countingGuids } from '../support/broker-builders.js';
import {
  type EmulatorUnderTest,
  openEmulatorUnderTest,
  type UnderTestOptions,
} from '../support/emulator-under-test.js';
import { turns } from '../support/rhea-client.js';
import { VirtualTimers } from '../support/virtual-timers.js';

type FaultyOptions = Partial<UnderTestOptions> & { readonly readsProperty?: boolean };

export class FaultyEmulator {
  readonly emulator: EmulatorUnderTest;
  readonly faults: Faults;
  /** Move the delays. */
  readonly timers: VirtualTimers;
  /** The faults that have happened, as the activity stream has them. */
  readonly fired: RecordOf<'fault-fired'>[] = [];

  private constructor(emulator: EmulatorUnderTest, faults: Faults, timers: VirtualTimers) {
    this.emulator = emulator;
    this.faults = faults;
    this.timers = timers;
    faults.connections = emulator.connections;
    emulator.activity.observe((kind, read) => {
      const record = kind === 'fault-fired' ? read() : undefined;
      if (record?.kind === 'fault-fired') this.fired.push(record);
    });
  }

  /** Has a queue `q` with locks of 30 s, unless the options say otherwise. */
  static async open({ readsProperty = false, ...options }: FaultyOptions = {}): Promise<FaultyEmulator> {
    const timers = new VirtualTimers();
    const now = () => timers.nowMs;
    const faults = new Faults({ nextGuid: countingGuids(), now, readsProperty });
    const { startTimer } = timers;
    const usual = { queues: ['q?lockDuration=PT30S'], startTimer, now, faults };
    return new FaultyEmulator(await openEmulatorUnderTest({ ...usual, ...options }), faults, timers);
  }

  connect(): ReturnType<EmulatorUnderTest['connect']> {
    return this.emulator.connect();
  }

  /** Lets real time pass on the clock of the delays, and what follows from it happen. */
  async pass(durationMs: number): Promise<void> {
    await turns();
    this.timers.advance(durationMs);
    await turns();
    // What was behind something on its line is due as soon as that has been done.
    while (this.timers.delays.some((each) => each <= 0)) {
      this.timers.advance(0);
      await turns(2);
    }
  }

  async messages(entityPath = 'q'): Promise<readonly InspectedMessage[]> {
    await turns();
    const page = { fromSequenceNumber: 0, maxCount: 100 };
    const result = await this.emulator.engine.ask({ kind: 'inspect-messages', entityPath, ...page });
    if (result.kind !== 'inspected-messages') throw new Error(`no messages but ${result.kind}`);
    return result.messages;
  }

  /** The condition and the delivery count of each message in the order of their numbers: `active 0`. */
  async conditions(entityPath = 'q'): Promise<string[]> {
    return (await this.messages(entityPath)).map(
      ({ condition, properties }) => `${condition} ${properties.deliveryCount}`,
    );
  }

  /** Expects that nothing is held back any more, and that the emulator itself has made no mistake. */
  async stop(): Promise<void> {
    await turns();
    const { server, faults } = this.emulator;
    expect({ timers: this.timers.delays, heldBytes: server.trafficOf().heldBytes }).toEqual({
      timers: [],
      heldBytes: 0,
    });
    await this.emulator.stop();
    expect(faults).toEqual([]);
  }
}
