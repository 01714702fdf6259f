// The AMQP endpoint alone, on one end of a memory pipe, with a scripted owner behind it and no broker.

import type { Duplex } from 'node:stream';
import { Connection, type ConnectionOptions } from '../../src/amqp/protocol/connection.js';
import { Transport } from '../../src/amqp/transport.js';
import { ReusedBlocks } from '../../src/codec/reused-blocks.js';
import { EndpointOwner, type OwnerScript } from './endpoint-owner.js';
import { memoryPipe } from './memory-pipe.js';

export type EndpointUnderTest = {
  readonly owner: EndpointOwner;
  /** The endpoint's side, for what no client can do: the time, a close. */
  readonly connection: Connection;
  /** The client's end of the pipe. */
  readonly client: Duplex;
  /** Faults of the endpoint itself. */
  readonly faults: readonly unknown[];
  readonly isClosed: boolean;
};

const BLOCKS = { frameBlocks: new ReusedBlocks(), outputBlocks: new ReusedBlocks() };
const IDENTITY = { containerId: 'an endpoint', product: 'Jitney', version: '0.0.0' } as const;

type Options = Pick<ConnectionOptions, 'firstOutgoingId' | 'allowsSlowMessages'>;

export function openEndpoint(script: OwnerScript & Options = {}): EndpointUnderTest {
  const [client, ours] = memoryPipe();
  // As sockets do that are not told otherwise.
  client.on('end', () => client.end());
  const endpoint = serveEndpoint(ours, script);
  return Object.defineProperties({ client }, Object.getOwnPropertyDescriptors(endpoint)) as EndpointUnderTest;
}

/** The endpoint on a stream of the caller's. */
export function serveEndpoint(
  stream: Duplex,
  script: OwnerScript & Options = {},
): Omit<EndpointUnderTest, 'client'> {
  const { firstOutgoingId = 0, allowsSlowMessages = false } = script;
  const owner = new EndpointOwner(script);
  const connection = new Connection(owner, { ...IDENTITY, firstOutgoingId, allowsSlowMessages, ...BLOCKS });
  let isClosed = false;
  const transportOwner = {
    received: () => {},
    sent: () => {},
    closed: () => {
      isClosed = true;
    },
  };
  const transport = new Transport(connection, stream, { owner: transportOwner, nudges: false });
  owner.whenOutputReady = () => transport.outputReady();
  owner.whenEnded = () => transport.end();
  return {
    owner,
    connection,
    get faults() {
      return owner.ends.map(({ fault }) => fault).filter((fault) => fault !== undefined);
    },
    get isClosed() {
      return isClosed;
    },
  };
}
