// Deliveries have a share of every turn: neither work that falls due nor a receiver with much to get holds up others.

import { expect, it } from 'vitest';
import { BrokerUnderTest, deliveriesTo, messageOf } from '../../support/broker-builders.js';

const SECOND = 1000;
/** More than some turns can do. */
const MANY = 6000;

function withOrders(): { readonly bus: BrokerUnderTest; readonly linkId: number } {
  const bus = new BrokerUnderTest();
  bus.putQueue('orders');
  bus.putQueue('other');
  const linkId = bus.attachReceiver('orders');
  bus.setCredit(linkId, 100);
  return { bus, linkId };
}

function fill(bus: BrokerUnderTest, timeToLiveMs?: number): void {
  for (let batch = 0; batch < MANY / 2000; batch++) {
    bus.send('other', ...Array.from({ length: 2000 }, () => messageOf('x', { timeToLiveMs })));
  }
}

/** Sends a message beside each piece of due work. Answers how many of them were not delivered in the turn of their send. */
function lateSends(bus: BrokerUnderTest, linkId: number): { readonly sent: number; readonly late: number } {
  let [sent, late] = [0, 0];
  while (bus.broker.nextDeadline() <= bus.now + 1) {
    bus.tickAfter(1);
    const turn = bus.send('orders', 'next');
    sent += 1;
    if (deliveriesTo(linkId, turn).length === 0) late += 1;
  }
  return { sent, late };
}

it.each([
  ['expire', {}],
  ['expire into the dead-letter queue', { deadLetteringOnMessageExpiration: true }],
])('a message is delivered as it is sent while thousands of others %s [RCV-15]', (_, given) => {
  const { bus, linkId } = withOrders();
  bus.putQueue('other', given);
  bus.attachReceiver('other');
  fill(bus, SECOND);
  bus.passTime(SECOND);
  const { sent, late } = lateSends(bus, linkId);
  expect(sent).toBeGreaterThan(3);
  expect(late).toBe(0);
});

it('a message is delivered as it is sent while thousands of others are forwarded [RCV-15]', () => {
  const { bus, linkId } = withOrders();
  fill(bus);
  bus.putQueue('to');
  bus.putQueue('other', { forwardTo: 'to' });
  const { sent, late } = lateSends(bus, linkId);
  expect(sent).toBeGreaterThan(3);
  expect(late).toBe(0);
});

it('a message is delivered as it is sent while another receiver is given thousands [RCV-15]', () => {
  const { bus, linkId } = withOrders();
  fill(bus);
  bus.setCredit(bus.attachReceiver('other'), MANY);
  const { sent, late } = lateSends(bus, linkId);
  expect(sent).toBeGreaterThan(3);
  expect(late).toBe(0);
});

it('two receivers with much to get take turns [RCV-15]', () => {
  const bus = new BrokerUnderTest();
  const stores = ['a', 'b'].map((name) => {
    bus.putQueue(name);
    bus.send(name, ...Array.from({ length: 4000 }, () => 'x'));
    return bus.attachReceiver(name);
  });
  const given = stores.map((linkId) => deliveriesTo(linkId, bus.setCredit(linkId, 4000)).length);
  const largestLead: number[] = [];
  while (bus.broker.nextDeadline() <= bus.now + 1) {
    const turn = bus.tickAfter(1);
    for (const [index, linkId] of stores.entries()) {
      given[index] = (given[index] ?? 0) + deliveriesTo(linkId, turn).length;
    }
    largestLead.push(Math.abs((given[0] ?? 0) - (given[1] ?? 0)));
  }
  expect(given).toEqual([4000, 4000]);
  expect(Math.max(...largestLead)).toBeLessThanOrEqual(1000);
});

it('what a full turn has left waits for the next tick, or for 10 ms: commands that come at once do no piece of it each', () => {
  const { bus } = withOrders();
  fill(bus);
  bus.putQueue('to');
  bus.putQueue('other', { forwardTo: 'to' });
  const [beside, after] = [0, 10].map((passed) => {
    bus.tickAfter(1);
    bus.passTime(passed);
    return bus.send('orders', 'next').events.length;
  });
  expect(beside).toBeLessThan(10);
  expect(after).toBeGreaterThan(100);
});
