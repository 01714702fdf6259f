import { describe, expect, it } from 'vitest';
import { listedOf, queue, topic } from '../../testing/listed.js';
import { type FlowSource, flowGraphOf } from './flow-graph.js';

const BUSY = { incoming: 6, outgoing: 3, isActive: true };
const QUIET: FlowSource = { entities: [], clientsOf: () => [], trafficOf: () => undefined };
const SHOP: FlowSource = {
  entities: listedOf(
    topic('events', ['audit', ['$Default']], ['mail', ['placed', 'shipped'], 'Emails'], ['none', []]),
    queue('orders', { active: 12, deadLetter: 3 }),
    queue('emails'),
    queue('parcels'),
  ),
  clientsOf: (side, path) => {
    if (side === 'senders')
      return /^(events|orders)$/.test(path) ? [{ name: 'web', connectionCount: 2 }] : [];
    return path === 'orders' ? [{ name: 'worker', connectionCount: 1 }] : [];
  },
  trafficOf: (path) => (path === 'parcels' ? undefined : BUSY),
};

function graphOf(source: Partial<FlowSource>) {
  return flowGraphOf({ ...QUIET, ...source });
}

describe('the flow', () => {
  it('leads from senders over topics, rules and subscriptions to queues and receivers', () => {
    expect(
      graphOf(SHOP).edges.map(({ from, to, isForwarding }) => `${from} ${isForwarding ? '~' : '-'} ${to}`),
    ).toEqual([
      'sender:web - entity:events',
      'entity:events - rule:events/Subscriptions/audit/$Default',
      'rule:events/Subscriptions/audit/$Default - entity:events/subscriptions/audit',
      'entity:events - rule:events/Subscriptions/mail/placed',
      'rule:events/Subscriptions/mail/placed - entity:events/subscriptions/mail',
      'entity:events - rule:events/Subscriptions/mail/shipped',
      'rule:events/Subscriptions/mail/shipped - entity:events/subscriptions/mail',
      'entity:events/subscriptions/mail ~ entity:emails',
      'entity:events - entity:events/subscriptions/none',
      'sender:web - entity:orders',
      'entity:orders - receiver:orders:worker',
    ]);
  });

  it('is of what flows: entities without traffic, clients and links are only counted', () => {
    const { nodes, quietCount } = graphOf(SHOP);
    expect(nodes.some(({ text }) => text === 'parcels')).toBe(false);
    expect(quietCount).toBe(1);
    const links = { senders: 0, receivers: 1, browsers: 0 };
    expect(graphOf({ entities: [{ ...queue('waiting'), links }, queue('idle')] })).toMatchObject({
      nodes: [{ text: 'waiting' }],
      quietCount: 1,
    });
  });

  it('shares the rate of a subscription among its rules, and of an entity among its clients', () => {
    const { edges } = graphOf({
      ...SHOP,
      clientsOf: (side) =>
        side === 'senders' ? ['a', 'b'].map((name) => ({ name, connectionCount: 1 })) : [],
    });
    const rateTo = (wanted: string) => edges.find(({ to }) => to === wanted)?.rate;
    expect(rateTo('rule:events/Subscriptions/mail/placed')).toBe(3);
    expect(rateTo('entity:orders')).toBe(3);
    expect(edges.find(({ isForwarding }) => isForwarding)?.rate).toBe(3);
  });

  it('says how many connections a client has, and counts clients, rules and subscriptions that are too many', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const subscriptions = Array.from(
      { length: 10 },
      (_, index) => [`s${index}`, index === 0 ? names : ['r']] as const,
    );
    const { nodes } = graphOf({
      entities: listedOf(topic('t', ...subscriptions)),
      clientsOf: (side) => (side === 'senders' ? names.map((name) => ({ name, connectionCount: 2 })) : []),
      trafficOf: () => BUSY,
    });
    const textsOf = (wanted: string) => nodes.filter(({ kind }) => kind === wanted).map(({ text }) => text);
    expect(textsOf('sender')).toEqual(['a ×2', 'b ×2', '3 more clients']);
    expect(textsOf('rule').slice(0, 3)).toEqual(['a', 'b', '3 more rules']);
    expect(textsOf('subscription')).toEqual([
      's0',
      's1',
      's2',
      's3',
      's4',
      's5',
      's6',
      '3 more subscriptions',
    ]);
  });

  it('has the 24 entities with the most traffic, and counts the others', () => {
    const entities = Array.from({ length: 30 }, (_, index) => queue(`q${index}`));
    const trafficOf = (path: string) => ({ incoming: Number(path.slice(1)), outgoing: 0, isActive: true });
    const { nodes, leftOutCount } = graphOf({ entities, trafficOf });
    expect(leftOutCount).toBe(6);
    expect(nodes.map(({ text }) => text)).toEqual(entities.slice(6).map(({ path }) => path));
  });
});
