// One life of the process in a simulation of the engine: its journal, which is watched, and the links that watch the engine.

import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import type { Turn } from '../../src/broker/broker.js';
import type { Delivery, Effect } from '../../src/broker/contract/effect.js';
import type { Event } from '../../src/broker/contract/event.js';
import type { Result } from '../../src/broker/contract/result.js';
import type { ServiceBusError } from '../../src/broker/contract/service-bus-error.js';
import type { LinkSink } from '../../src/engine/delivery-queue.js';
import type { Engine } from '../../src/engine/engine.js';
import type { Journal, JournalEvent } from '../../src/engine/ports.js';
import type { VirtualClock } from '../support/virtual-clock.js';
import type { VirtualTimers } from '../support/virtual-timers.js';
import type { CheckedBroker } from './checked-broker.js';
import type { ReferenceModel } from './reference-model.js';

export type Life = {
  readonly engine: Engine;
  readonly broker: CheckedBroker;
  readonly journal: WatchedJournal;
  /** Of the flusher. */
  readonly timers: VirtualTimers;
  readonly clock: VirtualClock;
  readonly links: Map<number, CheckedLink>;
  /** What was asked and not yet answered, by tag. */
  readonly asked: Map<number, { readonly result: Result; readonly eventCount: number }>;
  /** The model after each turn, with the number of events up to there; from the last moment when all was durable. */
  history: { readonly eventCount: number; readonly model: ReferenceModel }[];
  eventCount: number;
  /** Contents asked for and not yet there. */
  readingCount: number;
  lastTurn: Turn | undefined;
  failure: unknown;
  /** Whether the engine has failed, be it as it should. */
  hasFailed: boolean;
};

export function isQuiet({ asked, readingCount, links, journal, eventCount }: Life): boolean {
  return (
    asked.size === 0 &&
    readingCount === 0 &&
    journal.durableCount === eventCount &&
    [...links.values()].every((link) => link.hasHeardAll)
  );
}

export function wakeLinks({ engine, links }: Life): void {
  for (const [linkId, link] of links) {
    link.rest();
    engine.resumeLink(linkId);
  }
}

export function closeLink({ engine, links }: Life, linkId: number): void {
  links.get(linkId)?.close();
  engine.closeLink(linkId);
}

export function throwFailure({ failure }: Life): void {
  if (failure !== undefined) throw failure;
}

export class WatchedJournal implements Journal {
  /** Events of turns that are durable. */
  durableCount = 0;
  /** With those of the batch that is being written, of which nobody knows. */
  appendedCount = 0;
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async append(events: readonly JournalEvent[]): Promise<void> {
    this.appendedCount += countOfTurns(events);
    await this.#journal.append(events);
    this.durableCount = this.appendedCount;
  }

  recover(...given: Parameters<Journal['recover']>): ReturnType<Journal['recover']> {
    return this.#journal.recover(...given);
  }

  readContent(contentId: number): Promise<Uint8Array> {
    return this.#journal.readContent(contentId);
  }

  readContentNow(contentId: number): Uint8Array {
    return this.#journal.readContentNow(contentId);
  }

  deleteContent(contentId: number): void {
    this.#journal.deleteContent(contentId);
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}

/** How many of the events come from turns, and reach the journal; the engine adds others and keeps some back. */
export function countOfTurns(events: readonly (Event | JournalEvent)[]): number {
  const others = ['content-released', 'time-put'];
  return events.filter((event) => !others.includes(event.kind)).length;
}

type Coming = { readonly effect: Effect; readonly isDurable: () => boolean };

type LinkWorld = {
  holdsLock(lockToken: string): boolean;
  contentOf(contentId: number): Uint8Array | undefined;
  /** Whether the link is to take nothing for a while. */
  isTired(): boolean;
  detached(link: CheckedLink): void;
  /** The link has got its delivery: before that, its client knows nothing of the lock token. */
  delivered(effect: Effect): void;
  /** For the tally. */
  happened(what: string): void;
};

export class CheckedLink implements LinkSink {
  id = 0;
  readonly #world: LinkWorld;
  readonly #coming: Coming[] = [];
  #isRested = true;
  #isClosed = false;

  constructor(world: LinkWorld) {
    this.#world = world;
  }

  /** A turn had this for the link. */
  expect(effect: Effect, isDurable: () => boolean): void {
    if (!this.#isClosed || effect.kind === 'deliver') this.#coming.push({ effect, isDurable });
  }

  get hasHeardAll(): boolean {
    return this.#isClosed || this.#coming.length === 0;
  }

  rest(): void {
    this.#isRested = true;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Of a closed link: what it was to be given and never got must be free again. */
  checkGivenBack(): void {
    if (!this.#isClosed) return;
    for (const { effect } of this.#coming.splice(0)) {
      const lockToken = effect.kind === 'deliver' ? effect.delivery.lockToken : undefined;
      if (lockToken === undefined) continue;
      ok(!this.#world.holdsLock(lockToken), 'an unwritten delivery is still locked');
      this.#world.happened('delivery given back, its link was closed');
    }
  }

  isReady(): boolean {
    return this.#isRested;
  }

  deliver(delivery: Delivery, content: Uint8Array): void {
    const effect = this.#next('deliver');
    ok(this.#isRested, 'a delivery came before the link was ready');
    deepStrictEqual(delivery, effect.kind === 'deliver' && effect.delivery, 'the delivery is another one');
    const { lockToken, contentId } = delivery;
    ok(
      lockToken === undefined || this.#world.holdsLock(lockToken),
      'a delivery came after its lock had ended',
    );
    const sent = this.#world.contentOf(contentId);
    ok(sent !== undefined && Buffer.from(sent).equals(content), 'the content is not what was sent');
    this.#world.delivered(effect);
    this.#world.happened('delivery written');
    if (this.#world.isTired()) this.#isRested = false;
  }

  dropped(): void {
    const effect = this.#next('deliver');
    const lockToken = effect.kind === 'deliver' ? effect.delivery.lockToken : undefined;
    ok(lockToken !== undefined && !this.#world.holdsLock(lockToken), 'a delivery was dropped without need');
    this.#world.happened('delivery dropped, its lock had ended');
  }

  drained(deliveredCount: number): void {
    const effect = this.#next('drained');
    strictEqual(deliveredCount, effect.kind === 'drained' && effect.deliveredCount);
  }

  sessionAccepted(sessionId: string, lockedUntil: number): void {
    const effect = this.#next('session-accepted');
    strictEqual(sessionId, effect.kind === 'session-accepted' && effect.sessionId);
    strictEqual(lockedUntil, effect.kind === 'session-accepted' && effect.lockedUntil);
    this.#world.happened('told of a session');
  }

  detached(error: ServiceBusError): void {
    const effect = this.#next('detach');
    strictEqual(error.reason, effect.kind === 'detach' && effect.error.reason);
    this.#world.detached(this);
  }

  #next(kind: Effect['kind']): Effect {
    ok(!this.#isClosed, 'a closed link heard something');
    const coming = this.#coming.shift();
    strictEqual(coming?.effect.kind, kind, 'a link heard something unexpected');
    ok(coming?.isDurable(), 'invariant 7: a link heard of something that is not durable');
    return coming.effect;
  }
}
