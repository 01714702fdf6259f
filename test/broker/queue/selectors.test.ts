// Receivers and browsers with a selector: who gets which message, and what is skipped.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../src/broker/broker.js';
import {
  ABANDON,
  type BrokerUnderTest,
  COMPLETE,
  DEAD_LETTER,
  deliveriesTo,
  failureOf,
  newMessage,
  withQueue,
} from '../../support/broker-builders.js';
import { contentOf } from '../../support/json-reader.js';
import { countFor } from '../../support/thorough.js';

const DEAD_LETTERS = 'orders/$DeadLetterQueue';

function send(bus: BrokerUnderTest, ...colors: readonly string[]): Turn {
  const messages = colors.map((color) => newMessage(contentOf({ user: { color } })));
  return bus.execute({ kind: 'send', entityPath: 'orders', messages });
}

type Link = { readonly path?: string; readonly kind?: 'attach-receiver' | 'attach-browser' };

/** A receiver, or a browser, of messages of this color; undefined: of all. */
function attach(bus: BrokerUnderTest, color: string | undefined, { path, kind }: Link = {}): number {
  const linkId = bus.nextLinkId();
  const selector = color === undefined ? undefined : `color = '${color}'`;
  const given = { linkId, entityPath: path ?? 'orders', selector };
  const { result } = bus.execute(
    kind === 'attach-browser'
      ? { kind, ...given }
      : { kind: 'attach-receiver', receiveMode: 'peek-lock', ...given },
  );
  if (result.kind === 'failed') throw result.error;
  return linkId;
}

/** The numbers that went to the link, and the answers to drains. */
function got({ effects }: Turn, linkId: number): (number | string)[] {
  return effects.flatMap((effect): readonly (number | string)[] => {
    if (!('linkId' in effect) || effect.linkId !== linkId) return [];
    if (effect.kind === 'deliver') return [effect.delivery.properties.sequenceNumber];
    return [effect.kind];
  });
}

function isAnswered(turns: readonly Turn[], linkId: number): boolean {
  return turns.some((turn) => got(turn, linkId).includes('drained'));
}

function numbers(bus: BrokerUnderTest): readonly number[] {
  return bus.peek('orders').map(({ properties }) => properties.sequenceNumber);
}

describe('a receiver with a selector', () => {
  it('gets the messages that it takes, in order; the others stay as they are and are free [JMS-81, JMS-82]', () => {
    const bus = withQueue();
    send(bus, 'red', 'blue', 'red', 'green', 'blue');
    const [first, , , , last] = numbers(bus);
    const blue = attach(bus, 'blue');
    expect(got(bus.setCredit(blue, 5), blue)).toEqual([numbers(bus)[1], last]);
    const any = attach(bus, undefined);
    const [delivery] = deliveriesTo(any, bus.setCredit(any, 1));
    expect(delivery?.properties).toMatchObject({ sequenceNumber: first, deliveryCount: 0 });
  });

  it('is first in line for what it takes, and holds up nobody behind it [JMS-82]', () => {
    const bus = withQueue();
    const [red, any, blue] = [attach(bus, 'red'), attach(bus, undefined), attach(bus, 'blue')];
    for (const linkId of [red, any, blue]) bus.setCredit(linkId, 1);
    const turn = send(bus, 'green', 'blue', 'red', 'red');
    const [green, second, third] = numbers(bus);
    expect(got(turn, any)).toEqual([green]);
    expect(got(turn, blue)).toEqual([second]);
    expect(got(turn, red)).toEqual([third]);
  });

  it('looks again at a message that comes back, at its place in the order [JMS-82]', () => {
    const bus = withQueue();
    send(bus, 'red', 'red');
    const [first, second] = numbers(bus);
    const red = attach(bus, 'red');
    const [delivery] = deliveriesTo(red, bus.setCredit(red, 1));
    bus.settle('orders', { lockToken: delivery?.lockToken ?? '' }, ABANDON);
    expect(got(bus.setCredit(red, 3), red)).toEqual([first, second]);
  });

  it('gets all that come back in order, also more than its cursor remembers [JMS-82]', () => {
    const bus = withQueue({ maxDeliveryCount: 1000 });
    send(bus, ...Array.from({ length: 200 }, () => 'red'));
    for (let index = 0; index < 2000; index++) attach(bus, `other ${index}`);
    const red = attach(bus, 'red');
    const all = numbers(bus);
    const turns = [bus.setCredit(red, 200)];
    bus.execute({ kind: 'detach', linkId: red, unsettled: 'release' });
    const again = attach(bus, 'red');
    for (let limit = 50; limit <= 200; limit += 50) turns.push(bus.setCredit(again, limit), bus.tickAfter(1));
    expect(turns.flatMap((turn) => got(turn, red))).toEqual(all);
    expect(turns.flatMap((turn) => got(turn, again))).toEqual(all);
  });

  it('has its drain answered at once when it takes nothing that is there [JMS-36]', () => {
    const bus = withQueue();
    send(bus, 'red', 'red');
    const blue = attach(bus, 'blue');
    expect(got(bus.setCredit(blue, 1, { drain: true }), blue)).toEqual(['drained']);
    expect(got(send(bus, 'blue'), blue)).toEqual([]);
  });

  it('has its drain answered only when all messages were looked at, over several turns [JMS-36]', () => {
    const bus = withQueue();
    send(bus, ...Array.from({ length: 4000 }, () => 'red'));
    send(bus, ...Array.from({ length: 1000 }, () => 'red'), 'blue');
    const [blue, red] = [attach(bus, 'blue'), attach(bus, 'red')];
    const turns = [bus.setCredit(blue, 2, { drain: true })];
    turns.push(bus.setCredit(red, 1));
    while (turns.length < 30 && !isAnswered(turns, blue)) turns.push(bus.tickAfter(1));
    expect(turns.flatMap((turn) => got(turn, blue))).toEqual([expect.any(Number), 'drained']);
    expect(turns.flatMap((turn) => got(turn, red))).toHaveLength(1);
    expect(got(turns[0] as Turn, blue)).toEqual([]);
    expect(turns.length).toBeLessThan(30);
    for (let count = 0; count < 3; count++) bus.tickAfter(1);
    // Nobody waits for anything, so nothing is due.
    expect(bus.broker.nextDeadline()).toBeGreaterThan(bus.now + 1000);
  });

  it('dead-letters nothing, and what nobody takes expires as any other [JMS-83]', () => {
    const bus = withQueue({ defaultMessageTimeToLiveMs: 1000 });
    const linkId = bus.nextLinkId();
    const selector = '1 / color = 1';
    bus.execute({
      kind: 'attach-receiver',
      linkId,
      entityPath: 'orders',
      receiveMode: 'peek-lock',
      selector,
    });
    bus.setCredit(linkId, 1);
    send(bus, 'red');
    expect(numbers(bus)).toHaveLength(1);
    bus.tickAfter(2000);
    expect(numbers(bus)).toEqual([]);
    expect(bus.peek(DEAD_LETTERS)).toEqual([]);
  });

  it('receives from a dead-letter queue [JMS-81]', () => {
    const bus = withQueue();
    send(bus, 'red', 'blue');
    const [, second] = numbers(bus);
    for (const { lockToken = '' } of bus.receive('orders', 2))
      bus.settle('orders', { lockToken }, DEAD_LETTER);
    const blue = attach(bus, 'blue', { path: DEAD_LETTERS });
    expect(got(bus.setCredit(blue, 5), blue)).toEqual([second]);
  });

  it('is refused with a selector that cannot be parsed, but first because of sessions [JMS-85, JMS-86]', () => {
    const given = {
      kind: 'attach-receiver',
      linkId: 99,
      entityPath: 'orders',
      receiveMode: 'peek-lock',
    } as const;
    const refused = withQueue().execute({ ...given, selector: 'color =' });
    expect(failureOf(refused)).toMatchObject({
      reason: 'argument',
      message: expect.stringContaining('column 8'),
    });
    const inSessions = withQueue({ requiresSession: true }).execute({ ...given, selector: 'color =' });
    expect(failureOf(inSessions)?.reason).toBe('not-allowed');
  });

  it('is one of many with different ones, up to a number of characters for all [LIM-10]', () => {
    const bus = withQueue();
    const attachLong = (index: number) => {
      const linkId = bus.nextLinkId();
      const selector = `color = '${index}'`.padEnd(1024);
      return bus.execute({
        kind: 'attach-receiver',
        linkId,
        entityPath: 'orders',
        receiveMode: 'peek-lock',
        selector,
      });
    };
    const results = Array.from({ length: 10_000 }, (_, index) => failureOf(attachLong(index))?.reason);
    expect(results.filter((reason) => reason === undefined)).toHaveLength(2000);
    expect(new Set(results.slice(2000))).toEqual(new Set(['quota-exceeded']));
  });

  it('goes with many others without a search for each: the next tick finds who gets what comes back', () => {
    const bus = withQueue();
    send(bus, ...Array.from({ length: 600 }, () => 'red'));
    const going = Array.from({ length: 20 }, (_, index) => attach(bus, `red' OR color = '${index}`));
    const staying = attach(bus, 'red');
    for (const linkId of [...going, staying]) bus.setCredit(linkId, 40);
    while (bus.broker.nextDeadline() <= bus.now + 10) bus.tickAfter(1);
    const readCount = bus.reader.readCount;
    for (const linkId of going) {
      bus.passTime(1);
      bus.execute({ kind: 'detach', linkId, unsettled: 'release' });
    }
    expect(bus.reader.readCount - readCount).toBeLessThanOrEqual(500);
    const given = got(bus.setCredit(staying, 650), staying);
    while (bus.broker.nextDeadline() <= bus.now + 10) given.push(...got(bus.tickAfter(1), staying));
    expect(given).toHaveLength(600);
  });
});

describe('a browser with a selector', () => {
  it('sees what it takes, also of what comes later, and its drain is answered at the end [JMS-38]', () => {
    const bus = withQueue();
    send(bus, 'red', 'blue', 'red');
    const red = attach(bus, 'red', { kind: 'attach-browser' });
    const [first, , third] = numbers(bus);
    expect(got(bus.setCredit(red, 10, { drain: true }), red)).toEqual([first, third, 'drained']);
    bus.setCredit(red, 20);
    expect(got(send(bus, 'blue', 'red'), red)).toEqual([numbers(bus)[4]]);
  });

  it('sees what it takes of locked messages, though their time to live has passed [JMS-37, JMS-81]', () => {
    const bus = withQueue({ defaultMessageTimeToLiveMs: 1000 });
    send(bus, 'red', 'blue', 'red');
    const [first, , third] = numbers(bus);
    expect(bus.receive('orders', 3)).toHaveLength(3);
    bus.tickAfter(2000);
    const red = attach(bus, 'red', { kind: 'attach-browser' });
    expect(got(bus.setCredit(red, 10), red)).toEqual([first, third]);
  });

  it('has its drain answered only when all messages were looked at [JMS-38]', () => {
    const bus = withQueue();
    send(bus, ...Array.from({ length: 4000 }, () => 'red'), 'blue');
    const blue = attach(bus, 'blue', { kind: 'attach-browser' });
    const turns = [bus.setCredit(blue, 2, { drain: true })];
    while (turns.length < 30 && !isAnswered(turns, blue)) turns.push(bus.tickAfter(1));
    expect(turns.flatMap((turn) => got(turn, blue))).toEqual([expect.any(Number), 'drained']);
    expect(turns.length).toBeLessThan(30);
  });
});

type Step =
  | { readonly do: 'send'; readonly color: string }
  | { readonly do: 'credit' | 'detach'; readonly who: number }
  | { readonly do: 'complete' | 'abandon'; readonly which: number };

const COLORS = [undefined, 'red', 'blue', 'red', 'green'] as const;
const who = fc.nat(COLORS.length - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('red', 'blue', 'green', 'gray').map((color): Step => ({ do: 'send', color })),
  },
  { weight: 5, arbitrary: who.map((one): Step => ({ do: 'credit', who: one })) },
  { weight: 1, arbitrary: who.map((one): Step => ({ do: 'detach', who: one })) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('complete' as const, 'abandon' as const), fc.nat())
      .map(([settling, which]): Step => ({ do: settling, which })),
  },
);

/** Walks over everything with each step. */
class Model {
  readonly colors = new Map<number, string>();
  readonly locked = new Set<number>();
  readonly line: number[] = [];
  readonly color: (string | undefined)[] = [...COLORS];

  deliver(): readonly string[] {
    const delivered: string[] = [];
    for (const [number, color] of [...this.colors].sort(([a], [b]) => a - b)) {
      if (this.locked.has(number)) continue;
      const place = this.line.findIndex((one) => this.color[one] === undefined || this.color[one] === color);
      if (place < 0) continue;
      delivered.push(`${this.line.splice(place, 1)[0]} gets ${number}`);
      this.locked.add(number);
    }
    return delivered.sort();
  }
}

it('random receivers get what a walk over all messages and receivers would give them [JMS-81, JMS-82]', () => {
  let count = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 30, maxLength: 60 }), (steps) => {
      const bus = withQueue({ maxDeliveryCount: 1000 });
      const model = new Model();
      const links = COLORS.map((color) => attach(bus, color));
      const limits = COLORS.map(() => 0);
      const tokens = new Map<number, string>();
      const perform = (one: Step): Turn | undefined => {
        switch (one.do) {
          case 'send': {
            const turn = send(bus, one.color);
            if (turn.result.kind === 'sent') model.colors.set(turn.result.sequenceNumbers[0] ?? 0, one.color);
            return turn;
          }
          case 'credit':
            model.line.push(one.who);
            limits[one.who] = (limits[one.who] ?? 0) + 1;
            return bus.setCredit(links[one.who] ?? 0, limits[one.who] ?? 0);
          case 'detach': {
            const turn = bus.execute({ kind: 'detach', linkId: links[one.who] ?? 0 });
            model.line.splice(
              0,
              Number.POSITIVE_INFINITY,
              ...model.line.filter((waiting) => waiting !== one.who),
            );
            links[one.who] = attach(bus, COLORS[one.who]);
            limits[one.who] = 0;
            return turn;
          }
          default: {
            const number = [...tokens.keys()][one.which % Math.max(1, tokens.size)];
            if (number === undefined) return undefined;
            const lockToken = tokens.get(number) ?? '';
            tokens.delete(number);
            model.locked.delete(number);
            if (one.do === 'complete') model.colors.delete(number);
            return bus.settle('orders', { lockToken }, one.do === 'complete' ? COMPLETE : ABANDON);
          }
        }
      };
      for (const one of steps) {
        const turn = perform(one);
        if (turn === undefined) continue;
        const found: string[] = [];
        links.forEach((linkId, index) => {
          for (const { properties, lockToken } of deliveriesTo(linkId, turn)) {
            tokens.set(properties.sequenceNumber, lockToken ?? '');
            found.push(`${index} gets ${properties.sequenceNumber}`);
          }
        });
        count += found.length;
        expect(found.sort()).toEqual(model.deliver());
      }
    }),
    { numRuns: countFor(150, 5000) },
  );
  expect(count).toBeGreaterThan(300);
});
