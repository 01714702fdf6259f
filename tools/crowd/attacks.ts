// What a client may do to others. Each attack returns what it was told; it is bounded, and runs in a process of its own.

import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import rhea from 'rhea';
import { openConnection, socketOf } from './client.js';
import { bodies, bytes, stops } from './unfinished-attacks.js';

export type Attack = {
  readonly about: string;
  run(port: number): Promise<string>;
};

export const ATTACKED_QUEUE = 'attacked';
const MIB = 1024 * 1024;
const RECEIVERS = 20_000;
const RECEIVERS_AT_A_TIME = 500;
const UPLOADS = 4;
const UPLOAD_MIB = 90;
const HONEST_MIB = 96;
const CLIENTS_WITH_GARBAGE = 2000;
const PIPELINED_MIB = 10;
const ATTRIBUTES = 110_000;
const PUTS = 10;
const PEEK_LINKS = 20;
const PEEKS = 2000;
const PEEKED_MESSAGES = 20;
const PEEKED_BYTES = 200 * 1024;

/** Receivers on one queue, then the end of their connection. */
async function receivers(port: number): Promise<string> {
  const connection = openConnection(port);
  let openedCount = 0;
  connection.on('receiver_open', () => {
    openedCount += 1;
  });
  await once(connection, 'connection_open');
  for (let from = 0; from < RECEIVERS; from += RECEIVERS_AT_A_TIME) {
    for (let index = from; index < from + RECEIVERS_AT_A_TIME; index++) {
      const source = { address: ATTACKED_QUEUE };
      connection.open_receiver({ name: `receiver ${index}`, source, credit_window: 0 }).add_credit(10);
    }
    while (openedCount < from + RECEIVERS_AT_A_TIME) await sleep(1);
  }
  socketOf(connection).destroy();
  await sleep(2000);
  return `${openedCount} receivers were attached`;
}

/** Large messages on as many connections at once. */
async function uploads(port: number, count = UPLOADS, mib = UPLOAD_MIB): Promise<string> {
  const outcomes = Array.from({ length: count }, async () => {
    const connection = openConnection(port);
    const sender = connection.open_sender(ATTACKED_QUEUE);
    await once(sender, 'sendable');
    const body = rhea.message.data_section(Buffer.alloc(mib * MIB));
    sender.send({ body });
    const outcome = await Promise.race([
      once(sender, 'accepted').then(() => 'accepted'),
      once(sender, 'rejected').then(() => 'rejected'),
      once(connection, 'disconnected').then(() => 'disconnected'),
    ]);
    connection.close();
    return outcome;
  });
  return (await Promise.all(outcomes)).join(', ');
}

/** Eight other bytes each time. */
async function garbage(port: number): Promise<string> {
  for (let client = 0; client < CLIENTS_WITH_GARBAGE; client++) {
    const socket = connect({ host: '127.0.0.1', port }).on('error', () => {});
    socket.write(Buffer.from(String(client).padStart(8, '*')));
    await Promise.race([once(socket.resume(), 'close').catch(() => {}), sleep(100)]);
    socket.destroy();
  }
  return 'the connections were closed';
}

/** Many HTTP requests whose answers are not read. */
async function pipelined(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port }).on('error', () => {});
  const request = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const block = Buffer.from(request.repeat(1000));
  for (let sent = 0; sent < PIPELINED_MIB * MIB && !socket.destroyed; sent += block.length) {
    if (!socket.write(block)) await Promise.race([once(socket, 'drain').catch(() => {}), sleep(1000)]);
  }
  await sleep(2000);
  const { destroyed } = socket;
  socket.destroy();
  return destroyed ? 'the connection was closed' : 'the connection was not read any more';
}

/** A description of a queue with more attributes than anybody needs. */
async function attributes(port: number): Promise<string> {
  const element = `<b ${Array.from({ length: 100 }, (_, index) => `a${index}="x"`).join(' ')}/>`;
  const body = `<entry xmlns="http://www.w3.org/2005/Atom">${element.repeat(ATTRIBUTES / 100)}</entry>`;
  let status = 0;
  for (let put = 0; put < PUTS; put++) {
    const authorization = 'SharedAccessSignature sr=any&sig=any&se=9999999999&skn=any';
    const headers = { 'content-type': 'application/atom+xml', authorization };
    const answer = await fetch(`http://127.0.0.1:${port}/made-by-crowd?api-version=2021-05`, {
      method: 'PUT',
      headers,
      body,
    });
    status = answer.status;
    await answer.text();
  }
  return `answered ${status}`;
}

/** Requests for messages whose answers are not read. */
async function peeks(port: number): Promise<string> {
  const filling = openConnection(port);
  const sender = filling.open_sender(ATTACKED_QUEUE);
  await once(sender, 'sendable');
  for (let count = 0; count < PEEKED_MESSAGES; count++) {
    sender.send({ body: rhea.message.data_section(Buffer.alloc(PEEKED_BYTES)) });
    await once(sender, 'accepted');
  }
  filling.close();
  const connection = openConnection(port);
  const address = `${ATTACKED_QUEUE}/$management`;
  connection
    .open_receiver({ source: { address }, target: { address: 'reply' }, credit_window: 0 })
    .add_credit(PEEKS);
  const links = Array.from({ length: PEEK_LINKS }, (_, index) =>
    connection.open_sender({ name: `requests ${index}`, target: { address } }),
  );
  await Promise.all(links.map((link) => once(link, 'sendable')));
  const body = rhea.types.wrap_map({
    'from-sequence-number': rhea.types.wrap_long(0),
    'message-count': rhea.types.wrap_int(100),
  });
  socketOf(connection).pause();
  for (let count = 0; count < PEEKS; count++) {
    links[count % PEEK_LINKS]?.send({
      message_id: `${count}`,
      reply_to: 'reply',
      application_properties: { operation: 'com.microsoft:peek-message' },
      body,
    });
  }
  await sleep(5000);
  socketOf(connection).destroy();
  return 'its answers waited';
}

export const ATTACKS: Readonly<Record<string, Attack>> = {
  receivers: { about: `${RECEIVERS} receivers of one queue go at once`, run: receivers },
  uploads: { about: `${UPLOADS} messages of ${UPLOAD_MIB} MiB at once`, run: (port) => uploads(port) },
  upload: { about: `one message of ${HONEST_MIB} MiB`, run: (port) => uploads(port, 1, HONEST_MIB) },
  stops: {
    about: 'four messages that stop at 40 MiB, then come byte by byte',
    run: (port) => stops(port, ATTACKED_QUEUE),
  },
  bytes: { about: '35,000 links with one byte of a message', run: (port) => bytes(port, ATTACKED_QUEUE) },
  bodies: { about: '25 requests of 90 MiB at once', run: (port) => bodies(port, ATTACKED_QUEUE) },
  garbage: { about: `${CLIENTS_WITH_GARBAGE} clients that speak no protocol`, run: garbage },
  pipelined: { about: `${PIPELINED_MIB} MiB of HTTP requests, answers not read`, run: pipelined },
  attributes: { about: `${PUTS} descriptions with ${ATTRIBUTES} attributes`, run: attributes },
  peeks: { about: `${PEEKS} peeks of large messages, answers not read`, run: peeks },
};
