import { describe, expect, it } from 'vitest';
import { listedOf, queue, topic } from '../../testing/listed.js';
import { type FlowSource, layOutFlow, NODE_HEIGHT } from './flow-layout.js';

const WIDTH = 1000;
const QUIET = {
  sendersTo: () => [],
  receiversOf: () => [],
  rateOf: () => ({ incoming: 0, outgoing: 0 }),
};
const SHOP: FlowSource = {
  entities: listedOf(
    topic('events', ['audit', ['$Default']], ['mail', ['placed', 'shipped'], 'emails'], ['none', []]),
    queue('orders', { active: 12, deadLetter: 3 }),
    queue('emails'),
  ),
  sendersTo: (path) => (path === 'emails' ? [] : [{ name: 'web', connectionCount: 2 }]),
  receiversOf: (path) => (path === 'orders' ? [{ name: 'worker', connectionCount: 1 }] : []),
  rateOf: (path) =>
    path === 'orders' ? { incoming: 8, outgoing: 4 } : { incoming: 6, outgoing: path === 'emails' ? 0 : 3 },
};

function flowOf(source: Partial<FlowSource>, width = WIDTH) {
  return layOutFlow({ entities: [], ...QUIET, ...source }, width);
}

describe('the flow of messages', () => {
  it('leads from senders over topics, rules and subscriptions to queues and receivers', () => {
    const { nodes, edges } = flowOf(SHOP);
    const xOf = new Map(nodes.map(({ id, x }) => [id, x]));
    expect(edges.map(({ id }) => id).sort()).toEqual(
      [
        's:web>e:events',
        'e:events>r:events/Subscriptions/audit/$Default',
        'r:events/Subscriptions/audit/$Default>e:events/Subscriptions/audit',
        'e:events>r:events/Subscriptions/mail/placed',
        'e:events>r:events/Subscriptions/mail/shipped',
        'r:events/Subscriptions/mail/placed>e:events/Subscriptions/mail',
        'r:events/Subscriptions/mail/shipped>e:events/Subscriptions/mail',
        'e:events/Subscriptions/mail>e:emails',
        's:web>e:orders',
        'e:orders>c:orders:worker',
      ].sort(),
    );
    for (const { id, from, to, d } of edges) {
      expect(xOf.get(from), id).toBeLessThan(xOf.get(to) ?? 0);
      expect(d, id).toMatch(/^M[\d.]+ [\d.]+C/);
    }
  });

  it('leads past the nodes of the columns between, not behind them', () => {
    const { nodes, edges } = flowOf(SHOP);
    const [, lane] =
      /H[\d.]+C[\d.]+ ([\d.]+)/.exec(edges.find(({ id }) => id === 's:web>e:orders')?.d ?? '') ?? [];
    const between = nodes.filter(
      ({ kind }) => kind === 'topic' || kind === 'rule' || kind === 'subscription',
    );
    expect(between.length).toBeGreaterThan(0);
    for (const { y, id } of between) {
      expect(Math.abs(y + NODE_HEIGHT / 2 - Number(lane)), id).toBeGreaterThan(NODE_HEIGHT / 2);
    }
  });

  it('leads from a queue to the one that it forwards to, and back to a topic', () => {
    const entities = listedOf(
      topic('events', ['audit', ['$Default']]),
      ...[queue('in', { forwardTo: 'OUT' }), queue('out'), queue('again', { forwardTo: 'events' })],
    );
    const { edges, nodes } = flowOf({ entities });
    const forwarding = edges.filter(({ isForwarding }) => isForwarding);
    expect(forwarding.map(({ id }) => id)).toEqual(['e:in>e:out', 'e:again>e:events']);
    const rightOf = (wanted: string) =>
      nodes.filter(({ id }) => id === wanted).map(({ x, width }) => x + width)[0];
    const ends = forwarding.map(({ d }) => Number(/([\d.]+) [\d.]+$/.exec(d)?.[1]));
    expect(ends).toEqual([rightOf('e:out'), rightOf('e:events')]);
  });

  it('marks forwarding, and shares the rate of a subscription among its rules', () => {
    const { edges } = flowOf(SHOP);
    expect(edges.filter(({ isForwarding }) => isForwarding)).toMatchObject([{ to: 'e:emails', rate: 3 }]);
    expect(edges.find(({ to }) => to === 'r:events/Subscriptions/mail/placed')?.rate).toBe(3);
    expect(edges.find(({ from }) => from === 'e:orders')?.rate).toBe(4);
  });

  it('shows counts of messages at queues, and of connections at clients', () => {
    const { nodes } = flowOf(SHOP);
    expect(nodes.find(({ id }) => id === 'e:orders')).toMatchObject({ active: 12, deadLetter: 3 });
    expect(nodes.filter(({ kind }) => kind === 'client').map(({ text }) => text)).toEqual([
      'web ×2',
      'worker',
    ]);
  });

  it('keeps all nodes apart and inside', () => {
    const senders = Array.from({ length: 3 }, (_, index) => ({ name: `s${index}`, connectionCount: 1 }));
    const { nodes, width, height } = flowOf({
      ...SHOP,
      sendersTo: (path) => senders.map((one) => ({ ...one, name: `${one.name}-${path}` })),
      receiversOf: () => senders,
    });
    expect(width).toBe(WIDTH);
    for (const [index, one] of nodes.entries()) {
      expect(one.x + one.width).toBeLessThanOrEqual(WIDTH + 0.001);
      expect(one.y + NODE_HEIGHT).toBeLessThanOrEqual(height);
      for (const other of nodes.slice(index + 1)) {
        const isApart = other.x !== one.x || Math.abs(other.y - one.y) >= NODE_HEIGHT;
        expect(isApart, `${one.id} and ${other.id}`).toBe(true);
      }
    }
  });

  it('gives queues more room where there are no topics', () => {
    const { nodes } = flowOf({ entities: [queue('orders')] });
    const wide = nodes[0]?.width ?? 0;
    const narrow = flowOf(SHOP).nodes.find(({ id }) => id === 'e:orders')?.width ?? 0;
    expect(wide).toBeGreaterThan(narrow);
  });

  it('counts the rules beyond the fourth place in one node', () => {
    const { nodes } = flowOf({ entities: listedOf(topic('t', ['s', ['a', 'b', 'c', 'd', 'e', 'f']])) });
    expect(nodes.filter(({ kind }) => kind === 'rule').map(({ text }) => text)).toEqual([
      'a',
      'b',
      'c',
      '3 more',
    ]);
    const four = flowOf({ entities: listedOf(topic('t', ['s', ['a', 'b', 'c', 'd']])) });
    expect(four.nodes.filter(({ kind }) => kind === 'rule').map(({ text }) => text)).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });

  it('leads to a topic that a subscription forwards to, and to a queue in any spelling', () => {
    const entities = listedOf(
      topic('a', ['on', ['r'], 'B'], ['off', ['r'], 'EMAILS']),
      topic('b'),
      queue('emails'),
    );
    const { nodes, edges } = flowOf({ entities });
    expect(edges.filter(({ isForwarding }) => isForwarding).map(({ to }) => to)).toEqual(['e:b', 'e:emails']);
    expect(nodes.filter(({ kind }) => kind === 'queue')).toHaveLength(1);
  });

  it('draws the 24 entities with the most traffic, in their order, and counts the others', () => {
    const entities = Array.from({ length: 30 }, (_, index) => queue(`q${index}`));
    const rateOf = (path: string) => ({ incoming: Number(path.slice(1)), outgoing: 0 });
    const { nodes, leftOutCount } = flowOf({ entities, rateOf });
    expect(leftOutCount).toBe(6);
    expect(nodes.map(({ text }) => text)).toEqual(entities.slice(6).map(({ path }) => path));
  });

  it('is empty without entities', () => {
    expect(flowOf({})).toMatchObject({ nodes: [], edges: [], leftOutCount: 0 });
  });
});
