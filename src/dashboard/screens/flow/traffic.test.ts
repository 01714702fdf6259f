import { beforeEach, describe, expect, it } from 'vitest';
import { Traffic } from './traffic.js';

const START = Date.parse('2026-05-01T12:00:00.000Z');
const MINUTE = 60_000;
const SDK = 'azsdk-js-azureservicebus/7.9.5';

let traffic: Traffic;

beforeEach(() => {
  traffic = new Traffic();
});

function add(
  kind: string,
  path: string,
  client: { connectionId: number; name: string; product?: string },
  at = 0,
) {
  traffic.add({ id: 1, time: new Date(START + at).toISOString(), kind, path, client });
}

describe('who sends and receives', () => {
  it('is grouped by name, with the number of its connections', () => {
    add('enqueued', 'orders', { connectionId: 1, name: 'web' });
    add('scheduled', 'orders', { connectionId: 2, name: 'web' });
    add('enqueued', 'orders', { connectionId: 2, name: 'web' });
    add('completed', 'orders', { connectionId: 3, name: 'worker' });
    expect(traffic.sendersTo('orders', START)).toEqual([{ name: 'web', connectionCount: 2 }]);
    expect(traffic.receiversOf('orders', START)).toEqual([{ name: 'worker', connectionCount: 1 }]);
    expect(traffic.sendersTo('payments', START)).toEqual([]);
  });

  it('is one group for all connections of an SDK that makes its names up', () => {
    add('locked', 'orders', { connectionId: 1, name: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', product: SDK });
    add('locked', 'orders', { connectionId: 2, name: 'connection-2', product: SDK });
    expect(traffic.receiversOf('orders', START)).toEqual([{ name: 'JavaScript 7.9.5', connectionCount: 2 }]);
  });

  it.each([
    ...(['accepted', 'enqueued', 'scheduled', 'duplicate'] as const).map((kind) => [kind, 'sends'] as const),
    ...(['locked', 'consumed', 'completed'] as const).map((kind) => [kind, 'receives'] as const),
  ])('is known by %s: it %s', (kind, side) => {
    add(kind, 'orders', { connectionId: 1, name: 'web' });
    expect(traffic.sendersTo('orders', START)).toHaveLength(side === 'sends' ? 1 : 0);
    expect(traffic.receiversOf('orders', START)).toHaveLength(side === 'receives' ? 1 : 0);
  });

  it('leaves out other events, and those without a client', () => {
    add('renewed', 'orders', { connectionId: 1, name: 'web' });
    traffic.add({ id: 1, time: new Date(START).toISOString(), kind: 'enqueued', path: 'orders' });
    expect([...traffic.sendersTo('orders', START), ...traffic.receiversOf('orders', START)]).toEqual([]);
  });

  it('is forgotten five minutes after its last message', () => {
    add('enqueued', 'orders', { connectionId: 1, name: 'web' });
    add('enqueued', 'orders', { connectionId: 2, name: 'web' }, MINUTE);
    expect(traffic.sendersTo('orders', START + 5 * MINUTE)).toMatchObject([{ connectionCount: 2 }]);
    expect(traffic.sendersTo('orders', START + 5 * MINUTE + 1)).toMatchObject([{ connectionCount: 1 }]);
    expect(traffic.sendersTo('orders', START + 6 * MINUTE + 1)).toEqual([]);
  });

  it('is forgotten in time, too, while nobody looks', () => {
    for (let index = 0; index < 20; index++) {
      add('enqueued', 'orders', { connectionId: index, name: 'cron' }, index * MINUTE);
    }
    // By the time of the first connection, which the others would still be new to.
    expect(traffic.sendersTo('orders', START)).toEqual([{ name: 'cron', connectionCount: 6 }]);
  });

  it('is forgotten in time behind a connection that is still in use', () => {
    for (const connectionId of [1, 2]) add('enqueued', 'orders', { connectionId, name: 'web' });
    add('enqueued', 'orders', { connectionId: 1, name: 'web' }, 8 * MINUTE);
    expect(traffic.sendersTo('orders', START)).toEqual([{ name: 'web', connectionCount: 1 }]);
  });

  it('is limited to 50 names for an entity', () => {
    for (let index = 0; index < 60; index++)
      add('enqueued', 'orders', { connectionId: index, name: `job-${index}` });
    expect(traffic.sendersTo('orders', START)).toHaveLength(50);
  });
});
