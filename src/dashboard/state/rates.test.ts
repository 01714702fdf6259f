import { beforeEach, describe, expect, it } from 'vitest';
import { Rates, SECONDS } from './rates.js';

const START = Date.parse('2026-05-01T12:00:00.000Z') / 1000;

let rates: Rates;

beforeEach(() => {
  rates = new Rates();
});

/** Events in one second, counted from the start. */
function add(kind: string, second: number, count = 1, path = 'orders'): void {
  const time = new Date((START + second) * 1000 + 500).toISOString();
  for (let index = 0; index < count; index++) rates.add({ id: 1, time, kind, path });
}

describe('the rates of an entity', () => {
  it('are means over the last five whole seconds, without the one that still runs', () => {
    add('enqueued', 0, 10);
    add('completed', 4, 5);
    add('enqueued', 5, 100);
    expect(rates.of('orders')).toEqual({ incoming: 2, outgoing: 1 });
    rates.moveTo(START + 6);
    expect(rates.of('orders')).toEqual({ incoming: 20, outgoing: 1 });
    rates.moveTo(START + 11);
    expect(rates.of('orders')).toEqual({ incoming: 0, outgoing: 0 });
  });

  it.each([
    ...(['accepted', 'enqueued', 'routed', 'scheduled'] as const).map((kind) => [kind, 'in'] as const),
    ...(['completed', 'consumed', 'forwarded'] as const).map((kind) => [kind, 'out'] as const),
    ...(['locked', 'renewed', 'expired', 'dead-lettered'] as const).map((kind) => [kind, 'neither'] as const),
  ])('count %s as %s', (kind, direction) => {
    add(kind, 0);
    rates.moveTo(START + 1);
    const { incoming, outgoing } = rates.of('orders');
    expect([incoming > 0, outgoing > 0]).toEqual([direction === 'in', direction === 'out']);
  });

  it('are kept for each second of five minutes, the oldest first', () => {
    add('enqueued', 0, 1);
    add('enqueued', 1, 2);
    add('enqueued', SECONDS - 1, 3);
    expect(rates.seriesOf('orders').incoming).toEqual([1, 2, ...Array(SECONDS - 3).fill(0), 3]);
    add('enqueued', SECONDS, 4);
    expect(rates.seriesOf('orders').incoming).toEqual([2, ...Array(SECONDS - 3).fill(0), 3, 4]);
  });

  it('are empty again after a pause that is longer than five minutes', () => {
    add('enqueued', 0, 7);
    rates.moveTo(START + 10 * SECONDS);
    expect(rates.seriesOf('orders').incoming).toEqual(Array(SECONDS).fill(0));
  });

  it('take an event that comes late into its second, if that is still kept', () => {
    add('enqueued', SECONDS + 10);
    add('enqueued', SECONDS + 8, 2);
    add('enqueued', 10, 50);
    expect(rates.seriesOf('orders').incoming.slice(-3)).toEqual([2, 0, 1]);
    expect(rates.seriesOf('orders').incoming.reduce((sum, count) => sum + count)).toBe(3);
  });

  it('stay where they are when the clock is set back', () => {
    add('enqueued', 10, 5);
    rates.moveTo(START + 2);
    expect(rates.seriesOf('orders').incoming.at(-1)).toBe(5);
  });

  it('are those of each store: a dead-letter queue has its own', () => {
    add('completed', 0, 5, 'orders/$DeadLetterQueue');
    rates.moveTo(START + 1);
    expect(rates.of('orders').outgoing).toBe(0);
    expect(rates.of('orders/$DeadLetterQueue').outgoing).toBe(1);
  });

  it('are zeros for an entity without events, and after a new start', () => {
    add('enqueued', 0, 5);
    rates.clear();
    rates.moveTo(START + 1);
    expect(rates.of('orders')).toEqual({ incoming: 0, outgoing: 0 });
    expect(rates.seriesOf('nothing').outgoing).toEqual(Array(SECONDS).fill(0));
  });
});
