// Looks into an emulator on a virtual clock, and short words for what clients do with its messages.

import { arrange } from '../../src/arrange.js';
import type { Command, Outcome } from '../../src/broker/contract/command.js';
import type { Result } from '../../src/broker/contract/result.js';
import type { SentMessage } from '../../src/http/control/control-requests.js';
import { newMessage } from '../../src/http/control/message-answers.js';
import { receiveHead } from '../../src/http/runtime/head-receiver.js';
import { emulatorLook } from '../../src/inspect/emulator-look.js';
import type { LookContext } from '../../src/inspect/look-context.js';
import { TestRecord } from '../../src/inspect/test-record.js';
import { OpenWaits } from '../../src/inspect/wait-until.js';
import {
  type EmulatorUnderTest,
  openEmulatorUnderTest,
  type UnderTestOptions,
} from '../support/emulator-under-test.js';
import { unlimitedShare } from '../support/unlimited-share.js';
import { VirtualTimers } from '../support/virtual-timers.js';

export class LookUnderTest {
  readonly emulator: EmulatorUnderTest;
  /** The timers of timeouts; the broker's time is the emulator's clock. */
  readonly timers = new VirtualTimers();
  readonly context: LookContext;

  private constructor(emulator: EmulatorUnderTest, isRecording: boolean) {
    const { engine, activity, server, clock } = emulator;
    const { startTimer } = this.timers;
    this.emulator = emulator;
    const context = { engine, activity, connections: server.trafficOf(), waits: new OpenWaits(), startTimer };
    const now = () => clock.now();
    const look = emulatorLook(context, {
      isEmpty: true,
      isRecording,
      clock: () => {
        const time = new Date(now());
        return { mode: 'frozen', rate: 0, offsetMs: 0, time, realTime: time, nextDue: undefined };
      },
      now,
      record: new TestRecord(activity, now),
    });
    this.context = { ...context, look, arrange: arrange(engine) };
  }

  /** `isRecording`: it remembers from the start on what matchers ask for. */
  static async open({
    isRecording = false,
    ...options
  }: UnderTestOptions & { readonly isRecording?: boolean }): Promise<LookUnderTest> {
    return new LookUnderTest(await openEmulatorUnderTest(options), isRecording);
  }

  async execute(command: Command): Promise<Result> {
    const result = await this.emulator.engine.ask(command);
    if (result.kind === 'failed') throw result.error;
    return result;
  }

  async send(entityPath: string, ...messages: readonly SentMessage[]): Promise<void> {
    const now = this.emulator.clock.now();
    await this.execute({ kind: 'send', entityPath, messages: messages.map((one) => newMessage(one, now)) });
  }

  /** Locks the first available message. Returns its lock token. */
  async lockOne(entityPath: string): Promise<string> {
    const waiting = { waitMs: 0, startTimer: () => () => {}, signal: new AbortController().signal };
    const received = await receiveHead(this.emulator.engine, {
      entityPath,
      receiveMode: 'peek-lock',
      ...waiting,
      share: unlimitedShare(),
    });
    if (received?.delivery.lockToken === undefined) throw new Error(`nothing to receive from ${entityPath}`);
    return received.delivery.lockToken;
  }

  async settle(entityPath: string, lockToken: string, outcome: Outcome): Promise<void> {
    await this.execute({ kind: 'settle', entityPath, lockToken, outcome });
  }

  /** Lets the broker and those who listen to it work until nothing is left to do without a timer. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  }
}
