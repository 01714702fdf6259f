// Long work is done in pieces. A crash after any of them loses nothing and leaves nothing half done: after the restart the rest is
// done, and everything is as if there had been no crash.

import { expect, test } from 'vitest';
import { BrokerUnderTest, messageOf, START } from '../support/broker-builders.js';
import { accept, messageIn } from '../support/session-builders.js';
import { event, pathOf, publish, sqlRule, subscribe, TOPIC, withTopic } from '../support/topic-builders.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LONGEST_WAIT_MS = MINUTE;
const DEAD = '$DeadLetterQueue';

type Work = {
  /** Prepares a broker and starts the work. */
  begin(): BrokerUnderTest;
  /** Attaches what was attached, which a crash has taken away. */
  listen?(bus: BrokerUnderTest): void;
  readonly stores: readonly string[];
  /** At least so many crashes are tried. */
  readonly pieces: number;
};

function send(bus: BrokerUnderTest, count: number, given: Parameters<typeof messageOf>[1] = {}): void {
  bus.send('orders', ...Array.from({ length: count }, (_, index) => messageOf(`m${index}`, given)));
}

function withOrders(given: Parameters<BrokerUnderTest['putQueue']>[1] = {}): BrokerUnderTest {
  const bus = new BrokerUnderTest();
  bus.putQueue('orders', given);
  bus.putQueue('to');
  return bus;
}

const WORKS: Readonly<Record<string, Work>> = {
  'a queue is deleted': {
    begin() {
      const bus = withOrders();
      send(bus, 450);
      bus.execute({ kind: 'delete-entity', entityPath: 'orders' });
      return bus;
    },
    stores: [],
    pieces: 4,
  },
  'a topic is deleted': {
    begin() {
      const bus = withTopic();
      for (const name of ['a', 'b', 'c']) subscribe(bus, name);
      publish(bus, ...Array.from({ length: 150 }, () => event({})));
      bus.execute({ kind: 'delete-entity', entityPath: TOPIC });
      return bus;
    },
    stores: [],
    pieces: 4,
  },
  'a queue is purged': {
    begin() {
      const bus = withOrders();
      send(bus, 450);
      bus.execute({ kind: 'purge', entityPath: 'orders' });
      send(bus, 3);
      return bus;
    },
    stores: ['orders'],
    pieces: 4,
  },
  'messages expire': {
    begin() {
      const bus = withOrders({ deadLetteringOnMessageExpiration: true });
      bus.attachReceiver('orders');
      send(bus, 3000, { timeToLiveMs: SECOND });
      bus.tickAfter(SECOND);
      return bus;
    },
    listen: (bus) => bus.attachReceiver('orders'),
    stores: ['orders', `orders/${DEAD}`],
    pieces: 2,
  },
  'a session expires': {
    begin() {
      const bus = withOrders({ requiresSession: true, deadLetteringOnMessageExpiration: true });
      bus.send('orders', messageIn('a', 'first', { timeToLiveMs: SECOND }));
      bus.send('orders', ...Array.from({ length: 2500 }, (_, index) => messageIn('a', `${index}`)));
      accept(bus, 'other', { receiveMode: 'receive-and-delete' });
      bus.tickAfter(SECOND);
      return bus;
    },
    listen: (bus) => accept(bus, 'other', { receiveMode: 'receive-and-delete' }),
    stores: ['orders', `orders/${DEAD}`],
    pieces: 2,
  },
  'messages fall due': {
    begin() {
      const bus = withOrders();
      send(bus, 1700, { scheduledEnqueueTime: START + SECOND });
      bus.tickAfter(SECOND);
      return bus;
    },
    stores: ['orders'],
    pieces: 3,
  },
  'messages are forwarded': {
    begin() {
      const bus = withOrders();
      send(bus, 2000);
      bus.putQueue('orders', { forwardTo: 'to' });
      return bus;
    },
    stores: ['orders', 'to'],
    pieces: 3,
  },
  'copies are made that cost more than one command may': {
    begin() {
      const bus = withTopic();
      for (let index = 0; index < 30; index++) {
        subscribe(bus, `s${index}`, {}, [sqlRule('r', '1 = 1', 'SET mark = 1')]);
      }
      publish(bus, ...Array.from({ length: 60 }, () => event({})));
      return bus;
    },
    stores: ['s0', 's15', 's29'].map(pathOf),
    pieces: 5,
  },
  'locks end': {
    begin() {
      const bus = withOrders({ lockDurationMs: MINUTE });
      send(bus, 2500);
      bus.receive('orders', 2500);
      bus.tickAfter(MINUTE);
      return bus;
    },
    stores: ['orders'],
    pieces: 2,
  },
  'the lock of a session ends': {
    begin() {
      const bus = withOrders({ requiresSession: true, lockDurationMs: MINUTE });
      for (let batch = 0; batch < 4; batch++) {
        bus.send('orders', ...Array.from({ length: 2000 }, (_, index) => messageIn('a', `${index}`)));
      }
      let { effects } = bus.setCredit(accept(bus, 'a'), 8000);
      while (effects.length > 0) ({ effects } = bus.tickAfter(1));
      bus.tickAfter(MINUTE);
      return bus;
    },
    stores: ['orders'],
    pieces: 2,
  },
  'the holder of a session detaches': {
    begin() {
      const bus = withOrders({ requiresSession: true, lockDurationMs: 5 * MINUTE });
      for (let batch = 0; batch < 3; batch++) {
        bus.send('orders', ...Array.from({ length: 2000 }, (_, index) => messageIn('a', `${index}`)));
      }
      const linkId = accept(bus, 'a');
      let { effects } = bus.setCredit(linkId, 6000);
      while (effects.length > 0) ({ effects } = bus.tickAfter(1));
      bus.execute({ kind: 'detach', linkId });
      return bus;
    },
    stores: ['orders'],
    pieces: 2,
  },
  'message-ids are forgotten': {
    begin() {
      const bus = withOrders({
        requiresDuplicateDetection: true,
        duplicateDetectionHistoryTimeWindowMs: MINUTE,
      });
      for (let index = 0; index < 5000; index++) {
        bus.send('orders', messageOf('x', { messageId: `id ${index}` }));
      }
      bus.receive('orders', 5000, 'receive-and-delete');
      bus.tickAfter(MINUTE);
      return bus;
    },
    stores: ['orders'],
    pieces: 2,
  },
};

/** Everything that lasts, except how often a message was delivered, which a crash may forget (DLV-05). */
function stateOf(bus: BrokerUnderTest, stores: readonly string[]) {
  return {
    messages: stores.map((store) => allIn(bus, store)),
    contentCount: bus.rows.contents.size,
    rowCount: bus.rows.stored().length,
  };
}

function allIn(bus: BrokerUnderTest, store: string): readonly string[] {
  const all: string[] = [];
  for (let from = 0; ; ) {
    const page = bus.peek(store, from);
    for (const found of page) {
      all.push(`${found.properties.sequenceNumber} ${found.properties.state} ${bus.textOf(found)}`);
    }
    const last = page.at(-1);
    if (last === undefined) return all;
    from = last.properties.sequenceNumber + 1;
  }
}

/** Does what is due now and in the next minute, and calls `between` before each piece. Returns the number of pieces. */
function finish(bus: BrokerUnderTest, between: () => void = () => {}): number {
  let pieces = 0;
  const end = bus.now + LONGEST_WAIT_MS;
  for (let next = bus.broker.nextDeadline(); next <= end; next = bus.broker.nextDeadline()) {
    between();
    bus.tickAfter(Math.max(1, next - bus.now));
    pieces += 1;
  }
  return pieces;
}

test.each(Object.entries(WORKS))('%s: a crash between two pieces changes nothing', (_, work) => {
  const bus = work.begin();
  const crashed: BrokerUnderTest[] = [];
  const pieces = finish(bus, () => {
    const after = new BrokerUnderTest({ rows: bus.rows.copy() });
    after.now = bus.now;
    crashed.push(after);
  });
  const expected = stateOf(bus, work.stores);
  expect(pieces).toBeGreaterThanOrEqual(work.pieces);
  for (const after of crashed) {
    work.listen?.(after);
    finish(after);
    expect(stateOf(after, work.stores)).toEqual(expected);
  }
});
