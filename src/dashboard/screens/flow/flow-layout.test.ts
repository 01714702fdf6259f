import { describe, expect, it } from 'vitest';
import type { QueueAnswer, TopicAnswer } from '../../../http/control/control-schemas.js';
import { listedOf, queue, topic } from '../../testing/listed.js';
import { type FlowGraph, flowGraphOf } from './flow-graph.js';
import { layOutFlow } from './flow-layout.js';

const WIDTH = 1000;
const TRAFFIC = { incoming: 1, outgoing: 1, isActive: true };

/** Each entity has its own three senders and receivers. */
function graphOf(...entities: readonly (QueueAnswer | TopicAnswer)[]): FlowGraph {
  return flowGraphOf({
    entities: listedOf(...entities),
    clientsOf: (side, path) =>
      ['a', 'b', 'c'].map((name) => ({ name: `${side}-${name}-${path}`, connectionCount: 1 })),
    trafficOf: () => TRAFFIC,
  });
}

const SHOP = graphOf(
  topic('events', ['audit', ['$Default']], ['mail', ['placed', 'shipped'], 'emails'], ['none', []]),
  queue('orders', { forwardTo: 'events' }),
  queue('emails'),
  queue('again', { forwardTo: 'emails' }),
);

describe('the layout of the flow', () => {
  it.each([1144, 1016, 790, 640])('keeps all nodes apart and inside of %i pixels', (width) => {
    const { nodes, height } = layOutFlow(SHOP, width);
    expect(nodes).toHaveLength(SHOP.nodes.length);
    for (const [index, one] of nodes.entries()) {
      expect(one.x).toBeGreaterThanOrEqual(0);
      expect(one.x + one.width).toBeLessThanOrEqual(width + 0.001);
      expect(one.y + one.height / 2).toBeLessThanOrEqual(height);
      for (const other of nodes.slice(index + 1)) {
        const isApart = other.x !== one.x || Math.abs(other.y - one.y) >= (one.height + other.height) / 2;
        expect(isApart, `${one.id} and ${other.id}`).toBe(true);
      }
    }
  });

  it('leads from left to right, and back where it is forwarded to a topic', () => {
    const { nodes, edges } = layOutFlow(SHOP, WIDTH);
    const xOf = new Map(nodes.map(({ id, x }) => [id, x]));
    for (const { from, to, d } of edges) {
      expect(d).toMatch(/^M[\d.]+ [\d.]+C/);
      const isBack = from === 'entity:orders' && to === 'entity:events';
      const isBeside = from === 'entity:again' && to === 'entity:emails';
      const [left = 0, right = 0] = [xOf.get(from), xOf.get(to)];
      expect(isBack ? left > right : isBeside ? left === right : left < right, `${from} to ${to}`).toBe(true);
    }
  });

  it('leads past the nodes of the columns between, not behind them', () => {
    const { nodes, edges } = layOutFlow(SHOP, WIDTH);
    const edge = edges.find(({ from, to }) => from.startsWith('sender:') && to === 'entity:emails');
    const lane = Number(/H[\d.]+C[\d.]+ ([\d.]+)/.exec(edge?.d ?? '')?.[1]);
    const between = nodes.filter(({ kind }) => /^(topic|rule|subscription)$/.test(kind));
    expect(between.length).toBeGreaterThan(0);
    for (const { y, height, id } of between) expect(Math.abs(y - lane), id).toBeGreaterThan(height / 2);
  });

  it('gives nodes more room where there are fewer columns', () => {
    const widthOf = (graph: FlowGraph) => layOutFlow(graph, 790).nodes[0]?.width ?? 0;
    expect(widthOf(graphOf(queue('orders')))).toBeGreaterThan(widthOf(SHOP) * 1.5);
  });

  it('gives a column with long names more room than one with short names', () => {
    const { nodes } = layOutFlow(SHOP, WIDTH);
    const widthOf = (kind: string) => nodes.find((node) => node.kind === kind)?.width ?? 0;
    expect(widthOf('receiver')).toBeGreaterThan(widthOf('topic') * 1.3);
  });

  it('has the height of nothing for nothing', () => {
    expect(layOutFlow(graphOf(), WIDTH)).toMatchObject({ nodes: [], edges: [], height: 16 });
  });
});
