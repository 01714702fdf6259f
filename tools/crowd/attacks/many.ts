// Many clients at once: those that go together, those that speak no protocol, and as many as the promise calls comfortable.

import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type rhea from 'rhea';
import { dataSection } from '../../../test/support/frame-message.js';
import { ATTACKED_QUEUE, type Attack, about, type Context, hold, oneOf, type Told } from '../attack.js';
import { control, type Door, HOST, openConnection, openSender, sendBatch, socketOf } from '../client.js';

const RECEIVERS_AT_A_TIME = 500;

/** Receivers on one queue, then the end of their connection. */
async function receivers(context: Context): Promise<Told> {
  const count = about(context, 10_000);
  const connection = openConnection(context.port);
  let openedCount = 0;
  connection.on('receiver_open', () => {
    openedCount += 1;
  });
  await once(connection, 'connection_open');
  for (let from = 0; from < count; from += RECEIVERS_AT_A_TIME) {
    const until = Math.min(count, from + RECEIVERS_AT_A_TIME);
    for (let index = from; index < until; index++) {
      const source = { address: ATTACKED_QUEUE };
      connection.open_receiver({ name: `receiver ${index}`, source, credit_window: 0 }).add_credit(10);
    }
    while (openedCount < until) await sleep(1);
  }
  socketOf(connection).destroy();
  await hold(context, 2000);
  return { text: `${count} receivers of one queue` };
}

/** Eight other bytes each time. */
async function garbage(context: Context): Promise<Told> {
  const count = about(context, 500);
  for (let client = 0; client < count; client++) {
    const socket = connect({ host: HOST, port: context.port }).on('error', () => {});
    socket.write(Buffer.from(String(client).padStart(8, context.random.chance(0.5) ? '*' : 'AMQP')));
    await Promise.race([once(socket.resume(), 'close').catch(() => {}), sleep(100)]);
    socket.destroy();
  }
  return { text: `${count} clients that speak no protocol` };
}

const CLIENTS = 200;
const LINKS_OF_A_CLIENT = 10;
const QUEUES = 950;
const STORED = 100_000;
const BATCH = 1000;
const LARGE_BYTES = 1_000_000;
const WORK_MS = 20_000;

/** A queue of 100,000, then 200 clients with 2,000 links on 1,000 entities that send and receive. */
async function comfortable(context: Context): Promise<Told> {
  const { port, random, scale } = context;
  const clients = Math.ceil(CLIENTS * scale);
  const connections: rhea.Connection[] = [];
  for (let client = 0; client < clients; client++) {
    connections.push(openConnection(port, oneOf<Door>(random, 'tcp', 'tcp', 'websocket')));
    await sleep(20);
  }
  let received = 0;
  const work = connections.map(async (connection, client) => {
    for (let link = 0; link < LINKS_OF_A_CLIENT / 2; link++) {
      const address = `q${(client * 5 + link) % QUEUES}`;
      connection.open_receiver(address).on('message', () => {
        received += 1;
      });
      const sender = await openSender(connection, address);
      void send(sender, client === 0 ? LARGE_BYTES : random.integer(10, 2000), random.integer(1000, 4000));
    }
  });
  await Promise.all(work);
  const until = performance.now() + WORK_MS * scale;
  while (performance.now() < until) {
    await control(port, `messages?entity=${ATTACKED_QUEUE}&max=50&from=${random.integer(1, STORED)}`);
    await control(port, 'entities');
    await sleep(1000);
  }
  return { text: `${clients} clients with ${clients * LINKS_OF_A_CLIENT} links received ${received}` };
}

async function send(sender: rhea.Sender, bytes: number, everyMs: number): Promise<void> {
  const body = Buffer.alloc(bytes);
  for (;;) {
    sender.send({ body });
    await sleep(everyMs);
  }
}

async function store({ port, scale }: Context): Promise<void> {
  const sender = await openSender(openConnection(port), ATTACKED_QUEUE);
  for (let sent = 0; sent < STORED * scale; sent += BATCH) {
    await sendBatch(sender, Array<Buffer>(BATCH).fill(dataSection('stored')));
  }
}

export const MANY_ATTACKS: Readonly<Record<string, Attack>> = {
  receivers: { about: '10,000 receivers of one queue go at once', run: receivers },
  garbage: { about: '500 clients that speak no protocol', run: garbage },
  comfortable: {
    column: 'comfortable',
    about: '200 clients with 2,000 links at work on 1,000 entities, beside a queue of 100,000',
    options: Array.from({ length: QUEUES }, (_, index) => ['--queue', `q${index}`]).flat(),
    prepare: store,
    run: comfortable,
  },
};
