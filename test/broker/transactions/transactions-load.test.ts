// A thousand transactions at once: whatever becomes of each, no message is lost or doubled, and nothing of them is left behind.

import { describe, expect, it } from 'vitest';
import type { StepCommand } from '../../../src/broker/contract/command.js';
import { NEVER } from '../../../src/broker/contract/instant.js';
import { Random } from '../../simulation/random.js';
import { BrokerUnderTest, COMPLETE, messageOf } from '../../support/broker-builders.js';

const TRANSACTION_COUNT = 1000;
const CONNECTIONS = Array.from({ length: 10 }, (_, index) => index + 1);
const QUEUES = Array.from({ length: 20 }, (_, index) => `queue-${index}`);
const MOST_OPEN = 60;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

type Transaction = {
  readonly id: number;
  readonly connectionId: number;
  readonly queue: string;
  readonly sent: string[];
  readonly completed: string[];
};

class Load {
  readonly bus = new BrokerUnderTest();
  /** The texts that must be in each queue. */
  readonly expected = new Map<string, Set<string>>();
  readonly endings = new Map<string, number>();
  #open: Transaction[] = [];
  readonly #random: Random;
  #textCount = 0;
  #declaredCount = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
    for (const queue of QUEUES) {
      this.bus.putQueue(queue, { maxDeliveryCount: 1_000_000, lockDurationMs: MINUTE });
      const texts = Array.from({ length: 40 }, () => this.#newText());
      this.bus.send(queue, ...texts);
      this.expected.set(queue, new Set(texts));
    }
  }

  run(): void {
    while (this.#declaredCount < TRANSACTION_COUNT || this.#open.length > 0) {
      const chance = this.#random.integer(100);
      if (chance < 20) this.#declare();
      else if (chance < 80) this.#operate();
      else if (chance < 98) this.#discharge();
      else if (chance < 99) this.#kill(this.#random.pick(CONNECTIONS));
      else this.bus.tickAfter(this.#random.pick([SECOND, 20 * SECOND, 45 * SECOND]));
    }
  }

  #declare(): void {
    if (this.#declaredCount === TRANSACTION_COUNT || this.#open.length === MOST_OPEN) return;
    const connectionId = this.#random.pick(CONNECTIONS);
    const { result } = this.bus.execute({ kind: 'declare-transaction', connectionId });
    if (result.kind !== 'declared') throw new Error(result.kind);
    this.#declaredCount += 1;
    const queue = this.#random.pick(QUEUES);
    this.#open.push({ id: result.transactionId, connectionId, queue, sent: [], completed: [] });
  }

  #operate(): void {
    if (this.#open.length === 0) return;
    const transaction = this.#random.pick(this.#open);
    const { queue, sent, completed } = transaction;
    if (this.#random.chance(0.5)) {
      const text = this.#newText();
      const reservesNumbers = this.#random.chance(0.2);
      const messages = [messageOf(text)];
      if (this.#enlist(transaction, { kind: 'send', entityPath: queue, messages, reservesNumbers }))
        sent.push(text);
      return;
    }
    const [delivery] = this.bus.receive(queue, 1);
    if (delivery?.lockToken === undefined) return;
    const { lockToken } = delivery;
    const command = { kind: 'settle', entityPath: queue, lockToken, outcome: COMPLETE } as const;
    const text = this.bus.textOf(delivery);
    if (this.#enlist(transaction, command)) completed.push(text);
  }

  /** Whether it was in time. */
  #enlist({ id: transactionId, connectionId }: Transaction, command: StepCommand): boolean {
    const isForgotten = this.#random.chance(0.2);
    const { result } = this.bus.execute({
      kind: 'enlist',
      transactionId,
      connectionId,
      command,
      isForgotten,
    });
    if (result.kind !== 'failed') return true;
    expect(result.error.reason).toBe('transaction-timeout');
    return false;
  }

  #discharge(): void {
    if (this.#open.length === 0) return;
    this.#end(this.#random.pick(this.#open), this.#random.chance(0.3));
  }

  /** As a front end does when a connection is gone. */
  #kill(connectionId: number): void {
    this.#note('killed');
    for (const one of this.#open.filter((open) => open.connectionId === connectionId)) this.#end(one, true);
  }

  #end(transaction: Transaction, isFailed: boolean): void {
    const { id: transactionId, connectionId, queue, sent, completed } = transaction;
    this.#open = this.#open.filter((one) => one !== transaction);
    const { result } = this.bus.execute({ kind: 'discharge', transactionId, connectionId, isFailed });
    if (result.kind === 'failed')
      expect([isFailed, result.error.reason]).toEqual([false, 'transaction-timeout']);
    const isCommitted = !isFailed && result.kind === 'done';
    this.#note(isFailed ? 'rolled back' : isCommitted ? 'committed' : 'timed out');
    if (!isCommitted) return;
    for (const text of sent) this.expected.get(queue)?.add(text);
    for (const text of completed) this.expected.get(queue)?.delete(text);
  }

  /** All that is there, received and completed. */
  takeAll(queue: string): readonly string[] {
    const taken = this.bus.receive(queue, 10_000);
    const texts = taken.map((delivery) => this.bus.textOf(delivery));
    for (const { lockToken = '' } of taken) this.bus.settle(queue, { lockToken }, COMPLETE);
    return texts;
  }

  #newText(): string {
    this.#textCount += 1;
    return `text ${this.#textCount}`;
  }

  #note(what: string): void {
    this.endings.set(what, (this.endings.get(what) ?? 0) + 1);
  }
}

describe('a thousand interleaved transactions', () => {
  it.each([1, 2, 3])(
    'lose and double no message, and leave nothing behind (seed %i) [TXN-04, TXN-08]',
    (seed) => {
      const load = new Load(seed);
      const { bus } = load;
      load.run();
      expect([...load.endings.keys()].sort()).toEqual(['committed', 'killed', 'rolled back', 'timed out']);
      bus.tickAfter(MINUTE); // by then every lock has run out that nobody holds back
      for (const [queue, texts] of load.expected) {
        expect(bus.queueInfo(queue).counts).toMatchObject({
          active: texts.size,
          scheduled: 0,
          deadLetter: 0,
        });
        const taken = load.takeAll(queue);
        expect(taken).toHaveLength(texts.size);
        expect(new Set(taken)).toEqual(texts);
      }
      expect(bus.broker.nextDeadline()).toBe(NEVER);
      expect(bus.rows.contents.size).toBe(0);
      // As many as a connection may have open: none of the others is.
      for (const connectionId of CONNECTIONS) {
        const declared = Array.from({ length: 1000 }, () =>
          bus.execute({ kind: 'declare-transaction', connectionId }),
        );
        expect(declared.filter(({ result }) => result.kind !== 'declared')).toEqual([]);
      }
    },
  );
});
