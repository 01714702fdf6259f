// More clients than the process may have descriptors: the journal keeps its own, and whoever is connected works on.

import { once } from 'node:events';
import { get } from 'node:http';
import { connect as connectSocket, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { connect, receiveAll } from './support/service-bus.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const LIMIT = 256;
const BODY = 'x'.repeat(200_000);
/** 40 MB: the journal opens several files. */
const MESSAGE_COUNT = 200;

type Address = Jitney['address'];

/** Clients that say nothing. */
class Crowd implements Disposable {
  readonly #address: Address;
  readonly #sockets: Socket[] = [];

  constructor(address: Address) {
    this.#address = address;
  }

  async grow(count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      const socket = connectSocket(this.#address).on('error', () => {});
      this.#sockets.push(socket);
      await once(socket, 'connect');
    }
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }
}

/** undefined where the connection was closed without an answer. */
async function healthStatus({ host, port }: Address): Promise<number | undefined> {
  const request = get({ host, port, path: '/health', agent: false });
  try {
    const [response] = await once(request, 'response');
    response.resume();
    return response.statusCode;
  } catch {
    return undefined;
  }
}

test.skipIf(process.platform === 'win32')(
  'when the descriptors run short, new clients are told so, and those that are connected lose nothing',
  { timeout: 60_000 },
  async () => {
    await using directory = await temporaryDirectory();
    await using jitney = await Jitney.start({
      queues: ['orders'],
      dataDirectory: directory.path,
      descriptorLimit: LIMIT,
    });
    await using client = connect(jitney.connectionString);
    const sender = client.createSender('orders');
    await sender.sendMessages({ body: BODY });

    using crowd = new Crowd(jitney.address);
    let size = 0;
    while ((await healthStatus(jitney.address)) !== 503) {
      await crowd.grow(5);
      size += 5;
      expect(size).toBeLessThan(LIMIT);
    }
    await using late = connect(jitney.connectionString, { retryOptions: { maxRetries: 0 } });
    await expect(late.createSender('orders').sendMessages({ body: 1 })).rejects.toThrow('no room');

    await crowd.grow(LIMIT);
    for (let count = 1; count < MESSAGE_COUNT; count++) await sender.sendMessages({ body: BODY });
    const receiver = client.createReceiver('orders', { receiveMode: 'receiveAndDelete' });
    await receiveAll(receiver, MESSAGE_COUNT);
    expect(await receiver.peekMessages(1)).toEqual([]);
    expect(jitney.process.output.match(/Refused .*ulimit -n 65536/g)).toHaveLength(1);

    crowd[Symbol.dispose]();
    // Until the descriptors of the crowd are free, a client may even be refused without a word.
    for (let waits = 0; (await healthStatus(jitney.address)) !== 200; waits++) {
      expect(waits).toBeLessThan(100);
      await delay(50);
    }
  },
);
