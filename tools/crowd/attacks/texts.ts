// Attacks with texts: long ones that something searches, names that nothing has, names that are kept as long as their links.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { map, str, sym } from '../../../test/support/frame-encoder.js';
import { composite, type Fields } from '../../../test/support/frame-lists.js';
import { ATTACKED_QUEUE, type Attack, about, type Context, oneOf, runOf, type Told } from '../attack.js';
import {
  ask,
  type Door,
  drained,
  FramePeer,
  firstOf,
  openConnection,
  openDuplex,
  openSender,
} from '../client.js';

const TRIES = 40;
const LONGEST_TEXT = 200_000;
const ANSWER_LIMIT_MS = 10_000;
const FOREIGN_PAGE = 'https://elsewhere.example';

/** Ways in which a client can write a text that is shown, recorded or compared. */
const WRITERS: readonly ((port: number, text: string, door: Door) => Promise<unknown>)[] = [
  (port, text) => ask(port, { path: `/${text}`, headers: { origin: FOREIGN_PAGE } }),
  (port, text) => ask(port, { path: `/${text}/messages`, method: 'POST', body: 'x' }),
  (port, text) =>
    ask(port, { path: `/$jitney/v1/messages?entity=${encodeURIComponent(text.slice(0, 7000))}` }),
  (port, text) => ask(port, { path: '/', headers: { authorization: text.slice(0, 12_000) } }),
  (port, text) => ask(port, { path: '/', headers: { origin: `https://${text.slice(0, 12_000)}` } }),
  (port, text, door) => attach(port, door, { target: composite('target', { address: str(text) }) }),
  (port, text, door) => attach(port, door, { name: str(text) }),
  (port, text, door) => opened(port, door, { containerId: str(text) }),
  (port, text, door) => opened(port, door, { hostname: str(text) }),
  (port, text, door) =>
    sent(port, door, { body: 'x', message_id: text, subject: text, correlation_id: text }),
  (port, text, door) => deadLettered(port, door, text),
];

async function longTexts({ port, random, scale }: Context): Promise<Told> {
  const doors = new Map<number, number>();
  for (let count = 0; count < TRIES * scale; count++) {
    const way = count % WRITERS.length;
    const text = runOf(random, random.integer(LONGEST_TEXT / 10, LONGEST_TEXT));
    await Promise.race([
      WRITERS[way]?.(port, text, oneOf<Door>(random, 'tcp', 'websocket')),
      sleep(ANSWER_LIMIT_MS),
    ]);
    doors.set(way, (doors.get(way) ?? 0) + 1);
  }
  return { text: `${TRIES * scale} texts of up to ${LONGEST_TEXT} characters in ${doors.size} ways` };
}

async function opened(port: number, door: Door, open: Fields<'open'>): Promise<void> {
  const peer = new FramePeer(openDuplex(port, door), open);
  await peer.answer('open').catch(() => {});
  peer.duplex.destroy();
}

async function attach(port: number, door: Door, fields: Fields<'attach'>): Promise<void> {
  const peer = new FramePeer(openDuplex(port, door));
  peer.attachSender(0, ATTACKED_QUEUE, fields);
  await peer.answer('attach').catch(() => {});
  peer.duplex.destroy();
}

async function sent(port: number, door: Door, message: object): Promise<void> {
  const connection = openConnection(port, door);
  const sender = await openSender(connection, ATTACKED_QUEUE);
  sender.send({ body: undefined, ...message });
  await firstOf(sender, 'accepted', 'rejected', 'sender_close');
  connection.close();
}

async function deadLettered(port: number, door: Door, text: string): Promise<void> {
  await ask(port, { path: `/${ATTACKED_QUEUE}/messages`, method: 'POST', body: 'x' });
  const connection = openConnection(port, door);
  const modes = { autoaccept: false, credit_window: 0, rcv_settle_mode: 1 } as const;
  const receiver = connection.open_receiver({ source: ATTACKED_QUEUE, ...modes });
  receiver.add_credit(1);
  const [{ delivery }] = await once(receiver, 'message');
  delivery.reject({
    condition: 'com.microsoft:dead-letter',
    description: text,
    info: { DeadLetterReason: text },
  });
  await Promise.race([once(receiver, 'settled'), sleep(1000)]);
  connection.close();
}

const MISSPELT_LENGTHS = [5, 40, 250, 2000, 60_000] as const;
const MISSPELT = 500;
const QUEUES = Array.from({ length: 500 }, (_, index) => `orders-of-region-${index}`);

/** Names that nothing has, beside names that they could be, and faults that nobody can read. */
async function misspelt(context: Context): Promise<Told> {
  const { port, random } = context;
  const count = about(context, MISSPELT);
  const peer = new FramePeer(openDuplex(port, oneOf<Door>(random, 'tcp', 'websocket')));
  for (let handle = 0; handle < count; handle++) {
    const length = oneOf(random, ...MISSPELT_LENGTHS);
    const name = `ordres-of-region-${handle}`.padEnd(length, runOf(random, 1)).slice(0, length);
    if (random.chance(0.3)) await ask(port, { path: `/${name}/messages/head?timeout=0`, method: 'DELETE' });
    else peer.attachSender(handle, name);
    await drained(peer.duplex);
  }
  await peer.answer('attach').catch(() => {});
  for (const length of [900, 30_000]) {
    const fault = runOf(random, length);
    await sent(port, 'tcp', { body: 'x', application_properties: { 'x-jitney-fault': fault } });
  }
  peer.duplex.destroy();
  return { text: `${count} names that nothing has, and two faults` };
}

const NAMED_LINKS = 4500;
const NAMED_PEERS = 4000;
const NAMED_PATHS = 3000;
/** As long as each may be; what is longer ends its session or connection, and is among the long texts. */
const LONGEST = { linkName: 1024, address: 2048, containerId: 1024, path: 8000, property: 60_000 } as const;

const longName = (kind: keyof typeof LONGEST, index: number) => `${index}`.padEnd(LONGEST[kind], 'n');

/** Names of links, connections and paths, each as long as it may be, and what else belongs to a link. */
async function longNames(context: Context): Promise<Told> {
  const { port, random } = context;
  const links = about(context, NAMED_LINKS);
  const peer = new FramePeer(openDuplex(port, oneOf<Door>(random, 'tcp', 'websocket')));
  for (let handle = 0; handle < links; handle++) {
    const name = str(longName('linkName', handle));
    const properties = map([[sym('client-name'), str(longName('property', handle))]]);
    if (random.chance(0.3)) peer.attachSender(handle, longName('address', handle), { name });
    else peer.attachSender(handle, ATTACKED_QUEUE, random.chance(0.5) ? { name } : { properties });
    peer.duplex.resume();
    await drained(peer.duplex);
  }
  const peers = Math.round(about(context, NAMED_PEERS) / 10);
  for (let count = 0; count < peers; count++) {
    const text = str(longName('containerId', count));
    new FramePeer(openDuplex(port), { containerId: text, hostname: text });
    if (count % 50 === 0) await sleep(20);
  }
  const paths = about(context, NAMED_PATHS);
  for (let count = 0; count < paths; count += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => ask(port, { path: `/${longName('path', count + index)}` })),
    );
  }
  await sleep(1000);
  return { text: `${links} names of links, ${peers} of connections, ${paths} paths` };
}

export const TEXT_ATTACKS: Readonly<Record<string, Attack>> = {
  'long-texts': { about: 'long texts where an address, a name or a reason is read', run: longTexts },
  misspelt: {
    about: 'names that nothing has, beside 500 queues',
    options: ['--fault-property', ...QUEUES.flatMap((queue) => ['--queue', queue])],
    run: misspelt,
  },
  'long-names': { about: 'links, connections and paths with long names', run: longNames },
};
