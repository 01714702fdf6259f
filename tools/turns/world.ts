// An engine over a journal in a directory, whose clock moves by hand.

import { rmSync } from 'node:fs';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { Broker } from '../../src/broker/broker.js';
import { AZURE_BEHAVIOUR } from '../../src/broker/contract/behaviour-options.js';
import type { Command } from '../../src/broker/contract/command.js';
import type { Delivery } from '../../src/broker/contract/effect.js';
import {
  describeQueue,
  type QueueDescription,
} from '../../src/broker/contract/entities/queue-description.js';
import { LIMITS_OF_TIER, withoutSizes } from '../../src/broker/contract/limits.js';
import type { NewMessage } from '../../src/broker/contract/message-properties.js';
import type { Result } from '../../src/broker/contract/result.js';
import { contentReader } from '../../src/content/message-reader.js';
import type { LinkSink } from '../../src/engine/delivery-queue.js';
import { Engine } from '../../src/engine/engine.js';
import { SystemGuids } from '../../src/engine/system-guids.js';
import { openJournal } from '../../src/journal/open-journal.js';
import { newMessage } from '../../test/support/broker-builders.js';
import { VirtualClock } from '../../test/support/virtual-clock.js';
import { temporaryDirectory } from '../bench/brokers.js';

const BATCH = 500;
/** A message with a body of 4 bytes in a data section. */
const CONTENT = Uint8Array.of(0, 0x53, 0x75, 0xa0, 4, 1, 2, 3, 4);

export class World {
  readonly clock = new VirtualClock(Date.UTC(2030, 0, 1));
  /** Of the messages that were received last. */
  lockTokens: readonly string[] = [];
  readonly #directory = temporaryDirectory();
  #engine: Engine | undefined;

  get engine(): Engine {
    if (this.#engine === undefined) throw new Error('the world has not been started');
    return this.#engine;
  }

  /** Starts the engine, or stops it and starts it anew over the same directory. */
  async start(): Promise<void> {
    await this.#engine?.stop();
    const guids = new SystemGuids();
    const broker = new Broker({
      limits: {
        ...withoutSizes(LIMITS_OF_TIER.premium),
        maxDeleteCount: LIMITS_OF_TIER.premium.maxDeleteCount,
      },
      nextGuid: () => guids.next(),
      messageReader: contentReader,
      behaviour: { ...AZURE_BEHAVIOUR, expireWholeSession: true },
    });
    this.#engine = new Engine(broker, await openJournal({ directory: this.#directory }), this.clock);
    await this.#engine.start();
  }

  async end(): Promise<void> {
    await this.#engine?.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Resolves with the result; throws a refusal. */
  async ask(command: Command): Promise<Result> {
    const result = await this.engine.ask(command);
    if (result.kind === 'failed') throw result.error;
    return result;
  }

  putQueue(name: string, given: Partial<QueueDescription> = {}): Promise<Result> {
    return this.ask({ kind: 'put-entity', type: 'queue', description: describeQueue(name, { ...given }) });
  }

  /** Sends many small messages, which differ in what `given` says of each. */
  async send(
    entityPath: string,
    count: number,
    given: (index: number) => Partial<NewMessage> = () => ({}),
  ): Promise<void> {
    for (let from = 0; from < count; from += BATCH) {
      const length = Math.min(BATCH, count - from);
      const messages = Array.from({ length }, (_, index) => newMessage(CONTENT, given(from + index)));
      await this.ask({ kind: 'send', entityPath, messages });
      this.clock.advance(1);
    }
  }

  /** Attaches a receiver that takes so many messages. Resolves with its link when it has them. */
  async receive(entityPath: string, count: number): Promise<number> {
    const taker = new Taker();
    const linkId = this.engine.openLink(taker);
    await this.ask({ kind: 'attach-receiver', linkId, entityPath, receiveMode: 'peek-lock' });
    await this.ask({ kind: 'set-credit', linkId, deliveryLimit: count, drain: false });
    await this.#until(() => taker.count >= count);
    this.lockTokens = taker.lockTokens;
    return linkId;
  }

  /** Accepts the next session for each of so many receivers, which take so many messages each. */
  async acceptSessions(entityPath: string, count: number, creditEach: number): Promise<readonly number[]> {
    const takers: Taker[] = [];
    const links: number[] = [];
    for (let index = 0; index < count; index++) {
      const taker = new Taker();
      const linkId = this.engine.openLink(taker);
      takers.push(taker);
      links.push(linkId);
      await this.ask({
        kind: 'accept-session',
        linkId,
        connectionId: 1,
        entityPath,
        receiveMode: 'peek-lock',
        sessionId: undefined,
      });
      await this.ask({ kind: 'set-credit', linkId, deliveryLimit: creditEach, drain: false });
    }
    await this.#until(() => takers.every((taker) => taker.count >= creditEach));
    return links;
  }

  /** Moves the clock on by this time, from one piece of due work to the next, with a turn for others between two. */
  async pass(durationMs: number): Promise<void> {
    const end = this.clock.now() + durationMs;
    while (this.clock.alarmAt <= end) {
      this.clock.advanceTo(Math.max(this.clock.now(), this.clock.alarmAt));
      await nextLoop();
    }
    this.clock.advanceTo(end);
    await nextLoop();
  }

  async #until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await this.pass(1);
  }
}

/** Takes every delivery and keeps its lock token. */
class Taker implements LinkSink {
  readonly lockTokens: string[] = [];

  get count(): number {
    return this.lockTokens.length;
  }

  isReady(): boolean {
    return true;
  }

  deliver({ lockToken = '' }: Delivery): void {
    this.lockTokens.push(lockToken);
  }

  dropped(): void {}
  drained(): void {}
  sessionAccepted(): void {}
  detached(): void {}
}
