// What the look at a client's first byte costs: the entrance alone, with streams in the place of sockets.

import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { ProtocolSniffer } from '../../../src/gateway/protocol-sniffer.js';
import { median } from '../statistics.js';

const CONNECTIONS = 2000;
const ROUNDS = 7;
const HELLO = Buffer.from('AMQP\x03\x01\x00\x00', 'latin1');

/** Microseconds of processor time a connection, above those of a stream that is read without being looked at. */
export async function measureFirstLook(): Promise<number> {
  const costs: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const plain = await measure((stream) => stream.on('data', () => {}));
    const sniffer = new ProtocolSniffer({ amqp: (socket) => socket.on('data', () => {}), http: () => {} });
    const looked = await measure((stream) => sniffer.accept(stream as unknown as Socket));
    // Round 0 warms up.
    if (round > 0) costs.push(looked - plain);
  }
  return median(costs);
}

async function measure(take: (stream: Duplex) => void): Promise<number> {
  const streams = Array.from({ length: CONNECTIONS }, () => new Duplex({ read() {}, write() {} }));
  const before = process.cpuUsage();
  for (const stream of streams) {
    take(stream);
    stream.push(HELLO);
  }
  await new Promise(setImmediate);
  const { user, system } = process.cpuUsage(before);
  for (const stream of streams) stream.destroy();
  await new Promise(setImmediate);
  return (user + system) / CONNECTIONS;
}
