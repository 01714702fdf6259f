// A broker without rules: it answers each command with the turn the test has prepared, so that only the engine is seen.

import type { Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/contract/command.js';
import type { Delivery, Effect } from '../../src/broker/contract/effect.js';
import type { Event, StoredEvent } from '../../src/broker/contract/event.js';
import { type Instant, NEVER } from '../../src/broker/contract/instant.js';
import type { TurnBroker } from '../../src/engine/engine.js';

export type ScriptedTurn = Partial<Turn> & {
  /** Of the broker, from this turn on. */
  readonly deadline?: Instant;
  readonly throws?: Error;
  /** Contents that the turn reads. */
  readonly reads?: readonly number[];
};

export class ScriptedBroker implements TurnBroker {
  /** What was executed, and when. */
  readonly executed: { readonly command: Command; readonly now: Instant }[] = [];
  readonly restored: StoredEvent[] = [];
  /** Of deliveries whose lock has ended. */
  readonly lostTokens = new Set<string>();
  nextContentId = 0;
  /** What turns have read, in order. */
  readonly contentsRead: Uint8Array[] = [];
  deadline: Instant = NEVER;
  readonly #script: ScriptedTurn[] = [];
  #readContent: (contentId: number) => Uint8Array = () => {
    throw new Error('nobody has said where contents are read from');
  };

  /** The next command is answered like this; without a script it is `done` and nothing happens. */
  next(turn: ScriptedTurn): void {
    this.#script.push(turn);
  }

  execute(command: Command, now: Instant): Turn {
    this.executed.push({ command, now });
    const { throws, reads = [], deadline = this.deadline, ...turn } = this.#script.shift() ?? {};
    if (throws !== undefined) throw throws;
    for (const contentId of reads) this.contentsRead.push(this.#readContent(contentId));
    this.deadline = deadline;
    return { result: { kind: 'done' }, events: [], effects: [], ...turn };
  }

  nextDeadline(): Instant {
    return this.deadline;
  }

  holdsLock(lockToken: string): boolean {
    return !this.lostTokens.has(lockToken);
  }

  restore(stored: readonly StoredEvent[]): void {
    this.restored.push(...stored);
  }

  readContentsFrom(read: (contentId: number) => Uint8Array): void {
    this.#readContent = read;
  }

  continueContentIds(upcoming: number): void {
    this.nextContentId = upcoming;
  }
}

/** A message of this many bytes was stored; its content and its number are `id`. */
export function stored(id: number, sizeBytes = 1): Event[] {
  return [
    { kind: 'content-stored', contentId: id, content: contentOf(id, sizeBytes) },
    {
      kind: 'message-put',
      storeId: 1,
      message: {
        sequenceNumber: id,
        enqueuedTime: 0,
        expiresAt: NEVER,
        deliveryCount: 0,
        state: 0,
        wasScheduled: false,
        sessionId: undefined,
        contentId: id,
        sizeBytes,
        isShared: false,
        enqueuedSequenceNumber: undefined,
        details: undefined,
      },
    },
  ];
}

export function removed(id: number): Event[] {
  return [
    { kind: 'message-removed', storeId: 1, sequenceNumber: id },
    { kind: 'content-released', contentId: id },
  ];
}

export function contentOf(id: number, sizeBytes = 1): Uint8Array {
  return new Uint8Array(sizeBytes).fill(id);
}

/** Peek-lock under the token `token-<id>`, or receive-and-delete. */
export function deliver(linkId: number, id: number, mode: 'locked' | 'deleted' = 'locked'): Effect {
  const delivery: Delivery = {
    contentId: id,
    storeId: 1,
    properties: {
      sequenceNumber: id,
      enqueuedTime: 0,
      expiresAt: NEVER,
      deliveryCount: 0,
      state: 0,
      wasScheduled: false,
      enqueuedSequenceNumber: undefined,
      partitionId: undefined,
    },
    lockToken: mode === 'locked' ? `token-${id}` : undefined,
    lockedUntil: mode === 'locked' ? 60_000 : undefined,
  };
  return { kind: 'deliver', linkId, delivery };
}
