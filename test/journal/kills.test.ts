// Kills at any moment, and starts after them: log and table together hold exactly what was appended.

import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises';
import fc from 'fast-check';
import { MemoryLevel } from 'memory-level';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MessageRecord } from '../../src/broker/contract/event.js';
import type { Journal } from '../../src/engine/ports.js';
import { startJournal } from '../../src/journal/open-journal.js';
import { Random } from '../simulation/random.js';
import { HeldRows } from '../support/held-rows.js';
import { changeRows, putRow } from '../support/journal-places.js';
import {
  contentNumber,
  contentStored,
  counterPut,
  messagePut,
  messageRecord,
  messageRemoved,
  queuePut,
  recover,
} from '../support/journal-rows.js';
import { MemoryFiles } from '../support/memory-files.js';
import { storedIn } from '../support/table-rows.js';

const CONTENT_BYTES = 100;
const SEGMENT_BYTES = 1000;
const STEPS = ['send', 'send', 'remove', 'change', 'flush', 'flush begins', 'kill', 'torn', 'stop'] as const;
type Step = (typeof STEPS)[number];

// The half second to a flush passes where a step says so.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

class Machine {
  readonly kills = { idle: 0, inFlush: 0, inAppend: 0 };
  readonly #random: Random;
  #files = new MemoryFiles();
  #rows = new MemoryLevel<string, string>();
  #held = new HeldRows(this.#rows);
  #journal: Journal | undefined;
  #isFlushing = false;
  /** Whether this process has appended: only then a later write may be torn. */
  #hasAppended = false;
  readonly #expected = new Map<number, MessageRecord>();
  #next = 1;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  async start(): Promise<void> {
    await this.#rows.open();
    this.#held = new HeldRows(this.#rows);
    const options = { location: 'memory', segmentBytes: SEGMENT_BYTES };
    this.#journal = await startJournal(this.#held.store, this.#files, options);
    this.#isFlushing = false;
    this.#hasAppended = false;
    await this.#expectEverything(this.#journal);
  }

  async take(step: Step): Promise<void> {
    const [oldest] = this.#expected.values();
    switch (step) {
      case 'send':
        return this.#send();
      case 'remove':
        return oldest && this.#remove(oldest);
      case 'change':
        return oldest && this.#change({ ...oldest, deliveryCount: oldest.deliveryCount + 1 });
      case 'flush':
        return this.#flush();
      case 'flush begins':
        return this.#beginFlush();
      case 'kill':
        return this.#kill();
      case 'torn':
        return this.#killInAppend();
      case 'stop':
        return this.#stop();
    }
  }

  async #send(): Promise<void> {
    const number = this.#next++;
    const message = messageRecord(number);
    this.#expected.set(number, message);
    await this.#append(
      queuePut(),
      contentStored(number, contentNumber(number, CONTENT_BYTES)),
      messagePut(message),
      counterPut(this.#next),
    );
  }

  async #remove({ sequenceNumber, contentId }: MessageRecord): Promise<void> {
    this.#expected.delete(sequenceNumber);
    await this.#append(messageRemoved(sequenceNumber));
    this.#journal?.deleteContent(contentId);
  }

  async #change(message: MessageRecord): Promise<void> {
    this.#expected.set(message.sequenceNumber, message);
    await this.#append(messagePut(message));
  }

  async #append(...events: Parameters<Journal['append']>[0]): Promise<void> {
    await this.#journal?.append(events);
    this.#hasAppended = true;
  }

  async #flush(): Promise<void> {
    this.#beginFlush();
    this.#held.release();
    for (let turn = 0; turn < 5; turn++) await nextTurnOfTheLoop();
    this.#isFlushing = false;
  }

  #beginFlush(): void {
    if (!this.#hasAppended) return;
    this.#held.hold();
    vi.advanceTimersByTime(500);
    this.#isFlushing = true;
  }

  async #kill(): Promise<void> {
    this.kills[this.#isFlushing ? 'inFlush' : 'idle'] += 1;
    // Some of its batches are written before it is killed, or none.
    if (this.#random.chance(0.5)) this.#held.release();
    for (let turn = this.#random.integer(4); turn > 0; turn--) await nextTurnOfTheLoop();
    await this.#leave(this.#files.kill());
  }

  /** The batch that is being written is accepted by nobody. */
  async #killInAppend(): Promise<void> {
    if (!this.#hasAppended) return;
    this.kills.inAppend += 1;
    const events = [
      contentStored(this.#next),
      messagePut(messageRecord(this.#next)),
      counterPut(this.#next + 1),
    ];
    void this.#journal?.append(events);
    await this.#leave(this.#files.kill(this.#random));
  }

  async #leave(files: MemoryFiles): Promise<void> {
    this.#held.kill();
    const rows = new MemoryLevel<string, string>();
    const stored = await storedIn(this.#rows);
    await changeRows(rows, async (store) => {
      for (const [key, value] of stored) await putRow(store, key, value);
    });
    this.#files = files;
    this.#rows = rows;
    await this.start();
  }

  async #stop(): Promise<void> {
    this.#held.release();
    await this.#journal?.close();
    expect(this.#files.openCount).toBe(0);
    await this.start();
  }

  async #expectEverything(journal: Journal): Promise<void> {
    const { stored } = await recover(journal);
    const messages = stored.flatMap((event) => (event.kind === 'message-put' ? [event.message] : []));
    expect(messages).toEqual(
      [...this.#expected.values()].sort((a, b) => a.sequenceNumber - b.sequenceNumber),
    );
    for (const { contentId } of messages) {
      expect(new Uint8Array(journal.readContentNow(contentId))).toEqual(
        contentNumber(contentId, CONTENT_BYTES),
      );
    }
  }
}

test('killed or stopped at any moment, the next start has every message and content that was accepted, and no other', async () => {
  const kills = { idle: 0, inFlush: 0, inAppend: 0 };
  const steps = fc.array(fc.constantFrom(...STEPS), { minLength: 10, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(), async (given, seed) => {
      const machine = new Machine(seed);
      await machine.start();
      for (const step of given) await machine.take(step);
      await machine.take('kill');
      for (const kind of ['idle', 'inFlush', 'inAppend'] as const) kills[kind] += machine.kills[kind];
    }),
    { numRuns: 60 },
  );
  for (const count of Object.values(kills)) expect(count).toBeGreaterThan(10);
});
