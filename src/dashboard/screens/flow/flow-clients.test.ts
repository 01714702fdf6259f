import { beforeEach, describe, expect, it } from 'vitest';
import type { ConnectionsAnswer } from '../../../http/control/control-schemas.js';
import { EVENTS_START, PageEvents, WEB, WORKER } from '../../testing/page-events.js';
import { FlowClients } from './flow-clients.js';

const MINUTE = 60_000;
const PRODUCT = 'azsdk-js-azureservicebus/7.9.5';

let clients: FlowClients;
let events: PageEvents;

beforeEach(() => {
  clients = new FlowClients();
  events = new PageEvents();
});

/** A connection with its links, as the interface answers it. */
function connectionOf(
  connectionId: number,
  links: readonly (readonly [role: string, path: string])[],
  label?: string,
): ConnectionsAnswer['connections'][number] {
  const connection = {
    connectionId,
    containerId: `connection-${connectionId}`,
    product: PRODUCT,
    links: links.map(([role, path]) => ({ role, path })),
    ...(label === undefined ? {} : { label }),
  };
  return connection as unknown as ConnectionsAnswer['connections'][number];
}

describe('the clients of an entity', () => {
  it('are those that sent or received, by name, with the number of their connections', () => {
    clients.add(events.at(0, 'enqueued', { client: WEB }));
    clients.add(events.at(0, 'scheduled', { client: { ...WEB, connectionId: 5 } }));
    clients.add(events.at(0, 'enqueued', { client: { ...WEB, connectionId: 5 } }));
    clients.add(events.at(0, 'completed', { client: WORKER }));
    clients.add(events.at(0, 'renewed', { client: { connectionId: 9, name: 'renewer' } }));
    clients.add(events.at(0, 'enqueued'));
    expect(clients.of('senders', 'orders', EVENTS_START)).toEqual([{ name: 'web', connectionCount: 2 }]);
    expect(clients.of('receivers', 'Orders', EVENTS_START)).toEqual([{ name: 'worker', connectionCount: 1 }]);
    expect(clients.of('senders', 'payments', EVENTS_START)).toEqual([]);
  });

  it('are forgotten five minutes after their last message', () => {
    clients.add(events.at(0, 'enqueued', { client: WEB }));
    clients.add(events.at(2 * MINUTE, 'enqueued', { client: WORKER }));
    const namesAt = (ms: number) =>
      clients.of('senders', 'orders', EVENTS_START + ms).map(({ name }) => name);
    expect(namesAt(5 * MINUTE)).toEqual(['web', 'worker']);
    expect(namesAt(6 * MINUTE)).toEqual(['worker']);
    expect(namesAt(8 * MINUTE)).toEqual([]);
  });

  it('are also those whose links are attached, once for each connection, told apart by their label', () => {
    const label = 'JavaScript 7.9.5 :50312';
    clients.add(
      events.at(0, 'locked', { client: { connectionId: 7, name: 'connection-7', product: PRODUCT, label } }),
    );
    clients.attach({
      connections: [
        connectionOf(7, [['receiver', 'orders']], label),
        connectionOf(
          8,
          [
            ['session-receiver', 'orders'],
            ['sender', 'emails'],
            ['management', '$management'],
          ],
          'JavaScript 7.9.5 :50313',
        ),
      ],
    });
    const namesOf = (side: 'senders' | 'receivers', path: string) =>
      clients.of(side, path, EVENTS_START).map(({ name, connectionCount }) => [name, connectionCount]);
    expect(namesOf('receivers', 'orders')).toEqual([
      ['JavaScript 7.9.5 :50312', 1],
      ['JavaScript 7.9.5 :50313', 1],
    ]);
    expect(namesOf('senders', 'emails')).toEqual([['JavaScript 7.9.5 :50313', 1]]);
    clients.attach({ connections: [] });
    expect(namesOf('senders', 'emails')).toEqual([]);
  });
});
