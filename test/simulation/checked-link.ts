// The far end of a link under supervision: it must hear what the broker's turns had for it, in order, once it is durable.

import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import type { Delivery, Effect } from '../../src/broker/effect.js';
import type { ServiceBusError } from '../../src/broker/service-bus-error.js';
import type { LinkSink } from '../../src/engine/engine.js';

type Coming = { readonly effect: Effect; readonly isDurable: () => boolean };

export type LinkWorld = {
  holdsLock(lockToken: string): boolean;
  contentOf(contentId: number): Uint8Array | undefined;
  /** Whether the link is to take nothing for a while. */
  isTired(): boolean;
  detached(link: CheckedLink): void;
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
