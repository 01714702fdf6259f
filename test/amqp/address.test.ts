// The addresses of links, in the shapes in which clients write them and in any case.

import { describe, expect, it } from 'vitest';
import { type NodeAddress, readAddress } from '../../src/amqp/address.js';

const HOST = 'jitney.servicebus.windows.net';

/** An entity path as each client writes it. */
const SHAPES: readonly (readonly [client: string, write: (path: string) => string])[] = [
  ['JavaScript, Java and Go, bare', (path) => path],
  ['.NET, with a leading slash', (path) => `/${path}`],
  ['.NET, percent-encoded', (path) => `/${path.split('/').map(encodeURIComponent).join('/')}`],
  ['Python, as a URI', (path) => `amqps://${HOST}/${path}`],
  ['Python, as a URI with a port', (path) => `sb://${HOST}:5671/${path}`],
  ['JMS, as a queue', (path) => `queue://${path}`],
  ['JMS, as a topic', (path) => `Topic://${path}`],
];

const PATHS = [
  'orders',
  'orders/new',
  'orders/$DeadLetterQueue',
  'orders/Subscriptions/billing',
  'orders/subscriptions/Billing',
  'ORDERS/SUBSCRIPTIONS/BILLING',
  'eu/orders/Subscriptions/billing',
  'orders/Subscriptions/billing/$DeadLetterQueue',
  'orders/Subscriptions/billing/$deadletterqueue',
] as const;

describe.each(SHAPES)('an address as written by %s', (_, write) => {
  it.each(PATHS)('names the entity %s, in its case', (entityPath) => {
    expect(readAddress(write(entityPath))).toEqual<NodeAddress>({ kind: 'entity', entityPath });
  });

  it.each(PATHS)('names the management node of %s, whatever the case of its suffix', (entityPath) => {
    for (const suffix of ['$management', '$Management', '$MANAGEMENT']) {
      const address = readAddress(write(`${entityPath}/${suffix}`));
      expect(address).toEqual<NodeAddress>({ kind: 'management', entityPath });
    }
  });
});

describe('an address', () => {
  it.each(['$cbs', '/$cbs', '$CBS', `amqps://${HOST}/$cbs`])('%s is the node for tokens', (address) => {
    expect(readAddress(address)).toEqual<NodeAddress>({ kind: 'cbs' });
  });

  it('may have slashes encoded as well', () => {
    const entityPath = 'orders/Subscriptions/billing';
    expect(readAddress('/orders%2FSubscriptions%2Fbilling')).toEqual({ kind: 'entity', entityPath });
  });

  it('with a percent sign that encodes nothing is taken as it is', () => {
    expect(readAddress('orders%')).toEqual({ kind: 'entity', entityPath: 'orders%' });
  });
});
