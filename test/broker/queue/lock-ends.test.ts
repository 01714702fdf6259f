// Tests of many locks that end at once: in pieces, and judged as ended before they are processed.

import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/broker/contract/effect.js';
import {
  BrokerUnderTest,
  COMPLETE,
  deliveriesTo,
  messageOf,
  sequenceNumbersTo,
} from '../../support/broker-builders.js';

const LOCK_MS = 60_000;
const LOCKED = 2500;
/** The most locks of one store that end in a turn. */
const PIECE = 1000;

/** A queue whose messages are all locked, until now but for a millisecond. */
function withLocked(): { bus: BrokerUnderTest; held: readonly Delivery[] } {
  const bus = new BrokerUnderTest();
  bus.putQueue('orders', { lockDurationMs: LOCK_MS });
  bus.send('orders', ...Array.from({ length: LOCKED }, () => messageOf('x')));
  const held = bus.receive('orders', LOCKED);
  bus.passTime(LOCK_MS - 1);
  return { bus, held };
}

function refusalOf({ result }: { readonly result: { readonly kind: string } }): unknown {
  return 'error' in result ? (result.error as { reason: string }).reason : result.kind;
}

describe('many locks that end at once', () => {
  it('end a thousand in a turn, and the next turn comes a millisecond later [M13]', () => {
    const { bus } = withLocked();
    const counts = [bus.tickAfter(1), bus.tickAfter(1), bus.tickAfter(1), bus.tickAfter(1)].map(
      ({ events }) => events.filter(({ kind }) => kind === 'message-put').length,
    );
    expect(counts).toEqual([PIECE, PIECE, LOCKED - 2 * PIECE, 0]);
  });

  it('leave a turn to other stores, whose locks end and whose messages are delivered', () => {
    const { bus } = withLocked();
    bus.putQueue('beside');
    bus.send('beside', 'a');
    const linkId = bus.attachReceiver('beside');
    bus.tickAfter(1);
    expect(deliveriesTo(linkId, bus.setCredit(linkId, 1))).toHaveLength(1);
  });

  it('have all ended at once: a token whose turn has not come is refused [RCV-06]', () => {
    const { bus, held } = withLocked();
    bus.tickAfter(1);
    const { lockToken = '' } = held.at(-1) ?? {};
    expect(bus.broker.holdsLock(lockToken, bus.now)).toBe(false);
    expect(refusalOf(bus.settle('orders', { lockToken }, COMPLETE))).toBe('message-lock-lost');
  });

  it('hold back deliveries of their queue until the last: no lower number is overtaken [RCV-07]', () => {
    const { bus } = withLocked();
    const linkId = bus.attachReceiver('orders');
    const turns = [bus.setCredit(linkId, 3), bus.send('orders', 'later'), bus.tickAfter(1)];
    expect(turns.flatMap((turn) => sequenceNumbersTo(linkId, turn))).toEqual([]);
    expect(sequenceNumbersTo(linkId, bus.tickAfter(1))).toEqual([1, 2, 3]);
  });

  it('do not protect their messages from a batch delete, however many they are [DEL-02]', () => {
    const { bus } = withLocked();
    bus.tickAfter(1);
    const counts = Array.from({ length: 6 }, () => bus.deleteMessages('orders', 500).result);
    expect(counts).toEqual([
      ...Array(5).fill({ kind: 'deleted', count: 500 }),
      { kind: 'deleted', count: 0 },
    ]);
  });

  it('end with their store when it is emptied between two pieces', () => {
    const { bus } = withLocked();
    bus.tickAfter(1);
    bus.execute({ kind: 'purge', entityPath: 'orders' });
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 1);
    expect(deliveriesTo(linkId, bus.send('orders', 'new'))).toHaveLength(1);
  });

  it('count each delivery once, however many turns they need', () => {
    const { bus } = withLocked();
    for (let turns = 0; turns < 4; turns++) bus.tickAfter(1);
    const counts = bus.receive('orders', LOCKED).map(({ properties }) => properties.deliveryCount);
    expect(new Set(counts)).toEqual(new Set([1]));
    expect(counts).toHaveLength(LOCKED);
  });
});

describe('a session with many locked messages whose lock ends', () => {
  const CONNECTION = 1;
  const MESSAGES = 6000;
  /** The most that come back in a turn when their deliveries count, and when they do not. */
  const RETURNED = 750;
  const RELEASED = 2000;
  const ACCEPT = {
    kind: 'accept-session',
    connectionId: CONNECTION,
    entityPath: 'orders',
    receiveMode: 'peek-lock',
    sessionId: 's',
  } as const;

  function withSession(count = MESSAGES): { bus: BrokerUnderTest; linkId: number } {
    const bus = new BrokerUnderTest();
    bus.putQueue('orders', { lockDurationMs: LOCK_MS, requiresSession: true });
    for (let from = 0; from < count; from += 2000) {
      bus.send('orders', ...Array.from({ length: 2000 }, () => messageOf('x', { sessionId: 's' })));
    }
    const linkId = bus.nextLinkId();
    bus.execute({ ...ACCEPT, linkId });
    let { effects } = bus.setCredit(linkId, count);
    while (effects.length > 0) ({ effects } = bus.tickAfter(1)); // a turn delivers several hundred
    return { bus, linkId };
  }

  it('returns them in full turns; its holder has lost it from the first [X11]', () => {
    const { bus } = withSession();
    const first = bus.tickAfter(LOCK_MS);
    expect(first.events.filter(({ kind }) => kind === 'message-put')).toHaveLength(RETURNED);
    expect(first.effects).toEqual([]);
    const renewed = bus.execute({
      kind: 'renew-session-lock',
      entityPath: 'orders',
      session: { sessionId: 's', connectionId: CONNECTION },
    });
    expect(refusalOf(renewed)).toBe('session-lock-lost');
  });

  it('is free when the last one is back, and its holder is detached [SES-12]', () => {
    const { bus, linkId } = withSession();
    const turns = [bus.tickAfter(LOCK_MS)];
    for (let count = RETURNED; count < MESSAGES; count += RETURNED) turns.push(bus.tickAfter(1));
    const effects = turns.flatMap((turn) => turn.effects);
    expect(effects).toEqual([expect.objectContaining({ kind: 'detach', linkId })]);
    expect(turns.at(-1)?.effects).toEqual(effects);
  });

  it('returns them two thousand a turn when its holder detaches, uncounted, and is free with the last [X12]', () => {
    const { bus, linkId } = withSession(3 * RELEASED);
    bus.execute({ kind: 'detach', linkId });
    expect(refusalOf(bus.execute({ ...ACCEPT, linkId: bus.nextLinkId() }))).toBe('session-cannot-be-locked');
    bus.tickAfter(1);
    bus.tickAfter(1);
    const next = bus.nextLinkId();
    bus.execute({ ...ACCEPT, linkId: next });
    const [first] = deliveriesTo(next, bus.setCredit(next, 1));
    expect(first?.properties).toMatchObject({ sequenceNumber: 1, deliveryCount: 0 });
  });

  it('is free at once if they are few, although the turn is full of ends of other locks [X12]', () => {
    const { bus, linkId } = withSession(200);
    bus.putQueue('others', { lockDurationMs: LOCK_MS / 2 });
    for (let count = 0; count < MESSAGES; count += 1000) {
      bus.send('others', ...Array.from({ length: 1000 }, () => 'x'));
      bus.receive('others', 1000);
    }
    bus.passTime(LOCK_MS / 2);
    const detached = bus.execute({ kind: 'detach', linkId });
    expect(detached.events.filter(({ kind }) => kind === 'message-put')).toHaveLength(PIECE);
    bus.passTime(1); // the next turn is full, too
    const accepted = bus.execute({ ...ACCEPT, linkId: bus.nextLinkId() });
    expect(accepted.effects).toContainEqual(expect.objectContaining({ kind: 'session-accepted' }));
  });
});
