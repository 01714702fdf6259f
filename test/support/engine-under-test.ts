// An engine between a scripted broker and a journal by hand, with everything that it tells written down in order.

import type { Delivery } from '../../src/broker/contract/effect.js';
import type { Result } from '../../src/broker/contract/result.js';
import type { LinkSink } from '../../src/engine/delivery-queue.js';
import { Engine, type EngineOptions } from '../../src/engine/engine.js';
import type { Requester } from '../../src/engine/requester.js';
import { ScriptedBroker, type ScriptedTurn } from './engine-broker.js';
import { JournalByHand, settled } from './engine-journal.js';
import { VirtualClock } from './virtual-clock.js';

export const START = Date.UTC(2030, 0, 1);

export type EngineUnderTest = {
  readonly engine: Engine;
  readonly broker: ScriptedBroker;
  readonly journal: JournalByHand;
  readonly clock: VirtualClock;
  /** What was told, in order: `result 1 done`, `link 1 deliver 7`, ... */
  readonly told: string[];
  /** Submits a command whose turn is this one; its result is told as `result <tag>`. */
  submit(tag: number, turn?: ScriptedTurn): void;
  /** An attached receiver link that writes down what it is given. */
  openLink(): RecordingLink;
};

export class RecordingLink implements LinkSink {
  readonly contents: Uint8Array[] = [];
  isRoomy = true;
  id = 0;
  readonly #told: string[];

  constructor(told: string[]) {
    this.#told = told;
  }

  isReady(): boolean {
    return this.isRoomy;
  }

  deliver({ properties }: Delivery, content: Uint8Array): void {
    this.contents.push(content);
    this.#told.push(`link ${this.id} deliver ${properties.sequenceNumber}`);
  }

  dropped(): void {
    this.#told.push(`link ${this.id} dropped`);
  }

  drained(deliveredCount: number): void {
    this.#told.push(`link ${this.id} drained ${deliveredCount}`);
  }

  sessionAccepted(sessionId: string, lockedUntil: number): void {
    this.#told.push(`link ${this.id} accepted ${sessionId} until ${lockedUntil}`);
  }

  detached(error: Error): void {
    this.#told.push(`link ${this.id} detached: ${error.message}`);
  }
}

export async function startEngine(
  options: Partial<EngineOptions> = {},
  given: { readonly journal?: JournalByHand; readonly clock?: VirtualClock } = {},
): Promise<EngineUnderTest> {
  const { journal = new JournalByHand(), clock = new VirtualClock(START) } = given;
  const broker = new ScriptedBroker();
  const engine = new Engine(broker, journal, clock, options);
  await engine.start();
  const told: string[] = [];
  const requester: Requester = { completed: (tag, result) => told.push(`result ${tag} ${wordFor(result)}`) };
  return {
    engine,
    broker,
    journal,
    clock,
    told,
    submit(tag, turn = {}) {
      broker.next(turn);
      engine.submit({ kind: 'tick' }, requester, tag);
    },
    openLink() {
      const link = new RecordingLink(told);
      link.id = engine.openLink(link);
      engine.submit(
        { kind: 'attach-receiver', linkId: link.id, entityPath: 'orders', receiveMode: 'peek-lock' },
        { completed() {} },
        0,
      );
      return link;
    },
  };
}

function wordFor(result: Result): string {
  return result.kind === 'failed' ? `failed: ${result.error.reason}` : result.kind;
}

export { settled };
