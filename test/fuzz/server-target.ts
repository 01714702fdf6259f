// The whole server as the target of a fuzzer: many connections at once to one emulator, and one that must go on all the while.

import assert from 'node:assert';
import { Random } from '../simulation/random.js';
import type { Tally } from '../simulation/tally.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import type { FrameChannel } from '../support/frame-channel.js';
import { attachReceiver, attachSender, openSession, receiveOne, sendPieces } from '../support/frame-links.js';
import { dataSection, ReceivedMessage } from '../support/frame-message.js';
import { notation } from '../support/frame-notation.js';
import { turns } from '../support/rhea-client.js';
import { chunksOf, seedOf } from './input.js';
import { OutputCheck } from './output-check.js';

const QUEUES = ['q?lockDuration=PT5S&maxDeliveryCount=3', 'control'];
const TOPICS = [{ name: 't', subscriptions: [{ name: 's', lockDurationMs: 5000, maxDeliveryCount: 3 }] }];
/** The server never writes larger frames, whatever the client says. */
const LARGEST_FRAME = 256 * 1024;
/** Within so many turns of the event loop everything has happened that an input sets off. */
const TURNS_OF_INPUT = 15;
const TURNS_OF_END = 6;
/** Far above what any inputs take, far below a hang. */
const PATIENCE_MS = 10_000;
const SENDER = 0;
const RECEIVER = 1;

export class ServerTarget {
  readonly #emulator: EmulatorUnderTest;
  readonly #control: FrameChannel;
  #controlCount = 0;
  #failure: { readonly cause: unknown } | undefined;

  private constructor(emulator: EmulatorUnderTest, control: FrameChannel) {
    this.#emulator = emulator;
    this.#control = control;
    emulator.engine.failed.catch((cause) => {
      this.#failure = { cause };
    });
  }

  static async open(): Promise<ServerTarget> {
    const emulator = await openEmulatorUnderTest({ queues: QUEUES, topics: TOPICS });
    const control = await openSession(emulator.connect());
    await attachSender(control, SENDER, 'control');
    await attachReceiver(control, RECEIVER, { path: 'control', isSettled: true });
    return new ServerTarget(emulator, control);
  }

  /** Sends each input on a connection of its own, all at once; throws when what came of it is a bug. */
  async run(inputs: readonly Buffer[], tally: Tally): Promise<void> {
    const startedAt = performance.now();
    await Promise.all(inputs.map((input) => this.#runOne(input, tally)));
    this.#checkHealth();
    const tookMs = performance.now() - startedAt;
    assert(tookMs < PATIENCE_MS, `${inputs.length} inputs took ${Math.round(tookMs)} ms`);
  }

  /** A message goes in and comes out on a connection that has been there from the start. */
  async checkControl(): Promise<void> {
    const count = this.#controlCount++;
    const body = dataSection(`message ${count}`);
    const outcome = await sendPieces(this.#control, SENDER, { pieces: [body], deliveryId: count });
    assert.strictEqual(notation(outcome.field('state')), 'accepted[]');
    const { payload } = await receiveOne(this.#control, RECEIVER, count);
    assert(
      new ReceivedMessage(payload).bytesOf('data').equals(body),
      'another message came out than went in',
    );
  }

  async close(): Promise<void> {
    await this.#emulator.stop();
    await turns(TURNS_OF_END);
    this.#checkHealth();
  }

  async #runOne(input: Buffer, tally: Tally): Promise<void> {
    const random = new Random(seedOf(input));
    const client = this.#emulator.connect();
    const output: Buffer[] = [];
    if (random.chance(0.95)) client.on('data', (chunk: Buffer) => output.push(chunk));
    client.on('error', () => {});
    for (const chunk of chunksOf(input, random)) {
      client.write(chunk);
      // Time to answer: what comes behind may be about messages that were delivered meanwhile.
      if (random.chance(0.2)) await turns(TURNS_OF_INPUT);
    }
    await turns(TURNS_OF_INPUT);
    // Locks end while the client still holds them.
    if (random.chance(0.05)) this.#emulator.clock.advance(6000);
    await turns(random.integer(3));
    client.destroy();
    await turns(TURNS_OF_END);
    const check = new OutputCheck({ maxFrameSize: LARGEST_FRAME, areMessagesChecked: true, tally });
    try {
      check.checkStart(Buffer.concat(output));
    } catch (cause) {
      throw new InputError(input, cause);
    }
  }

  #checkHealth(): void {
    const [fault] = this.#emulator.faults;
    if (fault !== undefined) throw new Error('a fault of the server', { cause: fault });
    if (this.#failure !== undefined) throw new Error('the engine has failed', this.#failure);
  }
}

/** What went wrong with one input among many. */
export class InputError extends Error {
  readonly input: Buffer;

  constructor(input: Buffer, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.input = input;
  }
}
