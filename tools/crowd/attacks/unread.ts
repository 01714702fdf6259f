// Attacks with answers that nobody reads: over HTTP, of requests to `$management`, in a transaction.

import {
  bin,
  boolean,
  type Encoded,
  int,
  long,
  map,
  str,
  TRUE,
  uint,
} from '../../../test/support/frame-encoder.js';
import { creditFields, senderFields } from '../../../test/support/frame-fields.js';
import { composite } from '../../../test/support/frame-lists.js';
import { applicationProperties, propertiesSection, section } from '../../../test/support/frame-message.js';
import { ATTACKED_QUEUE, type Attack, about, type Context, hold, oneOf, type Told } from '../attack.js';
import { AUTHORIZATION, ask, type Door, drained, FramePeer, openDuplex } from '../client.js';

const KB = 1000;
const REPLIES = 'replies';
/** Handles of a channel: the link of the answers, then those of requests, each with credit for so many. */
const REQUESTS_OF_A_LINK = 100;
const LINKS_OF_A_CHANNEL = 10;
const CONTROL = 99;

async function fill({ port }: Context, count: number, bytes: number): Promise<void> {
  const body = Buffer.alloc(bytes, 'x');
  for (let index = 0; index < count; index++) {
    const { status } = await ask(port, { path: `/${ATTACKED_QUEUE}/messages`, method: 'POST', body });
    if (status !== 201) throw new Error(`a message was answered ${status}`);
  }
}

/** Requests on one connection behind each other, whose answers are large. */
async function pipelined(context: Context): Promise<Told> {
  const { port, random } = context;
  const connections = random.integer(1, 4);
  const requests = about(context, 100);
  const path = oneOf(
    random,
    `/$jitney/v1/messages?entity=${ATTACKED_QUEUE}&max=250`,
    `/$jitney/v1/messages/1?entity=${ATTACKED_QUEUE}`,
    '/metrics',
  );
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${AUTHORIZATION}\r\n\r\n`;
  for (let count = 0; count < connections; count++) openDuplex(port).write(request.repeat(requests));
  await hold(context);
  return { text: `${connections} x ${requests} requests for ${path}` };
}

/** A stream of events that nobody reads, and much that happens. */
async function unreadEvents(context: Context): Promise<Told> {
  const { port } = context;
  const streams = about(context, 100);
  const request = `GET /$jitney/v1/events?since=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${AUTHORIZATION}\r\n\r\n`;
  for (let count = 0; count < streams; count++) openDuplex(port).write(request);
  await hold(context);
  return { text: `${streams} streams of events` };
}

/** `transactionId`: the requests belong to it. Returns when all are written that the emulator reads. */
async function writePeeks(peer: FramePeer, count: number, transactionId?: Buffer): Promise<void> {
  const address = str(`${ATTACKED_QUEUE}/$management`);
  const state =
    transactionId === undefined
      ? {}
      : { state: composite('transactional-state', { transactionId: bin(transactionId) }) };
  peer.duplex.cork(); // they come faster than the first answer is made
  for (let sent = 0; sent < count; sent++) {
    const ofChannel = sent % (REQUESTS_OF_A_LINK * LINKS_OF_A_CHANNEL);
    const channel = 1 + Math.floor(sent / (REQUESTS_OF_A_LINK * LINKS_OF_A_CHANNEL));
    const handle = 1 + Math.floor(ofChannel / REQUESTS_OF_A_LINK);
    if (ofChannel === 0) openReplies(peer, channel, address);
    if (ofChannel % REQUESTS_OF_A_LINK === 0)
      peer.attachSender(handle, `${ATTACKED_QUEUE}/$management`, { channel });
    const fields = {
      handle: uint(handle),
      deliveryId: uint(ofChannel),
      deliveryTag: bin(Buffer.of(0)),
      settled: TRUE,
      ...state,
    };
    peer.send('transfer', fields, { payload: PEEK, channel });
  }
  peer.duplex.uncork();
  await drained(peer.duplex);
}

function openReplies(peer: FramePeer, channel: number, address: Encoded): void {
  peer.begin(channel);
  const source = composite('source', { address });
  const target = composite('target', { address: str(REPLIES) });
  peer.send('attach', { name: str(REPLIES), handle: uint(0), role: TRUE, source, target }, { channel });
  peer.send('flow', creditFields(0, 1_000_000), { channel });
}

const PEEK = Buffer.concat([
  propertiesSection({ messageId: str('peek'), replyTo: str(REPLIES) }),
  applicationProperties({ operation: str('com.microsoft:peek-message') }),
  section(
    'value',
    map([
      [str('from-sequence-number'), long(0)],
      [str('message-count'), int(100)],
    ]),
  ),
]);

async function unreadInTransaction(context: Context): Promise<Told> {
  const { port, random } = context;
  const count = about(context, 9000);
  const peer = new FramePeer(openDuplex(port, oneOf<Door>(random, 'tcp', 'websocket')));
  peer.send('attach', senderFields(CONTROL, { target: composite('coordinator') }));
  const declare = section('value', composite('declare'));
  const fields = {
    handle: uint(CONTROL),
    deliveryId: uint(0),
    deliveryTag: bin(Buffer.of(0)),
    settled: boolean(false),
  };
  peer.send('transfer', fields, { payload: declare });
  const state = (await peer.answer('disposition')).field('state');
  if (state?.type !== 'described' || state.value.type !== 'list')
    throw new Error('no transaction was declared');
  const transactionId = state.value.value[0]?.value as Buffer;
  await writePeeks(peer, count, transactionId);
  await hold(context);
  return {
    text: `${count} peeks in a transaction${peer.duplex.destroyed ? ', whose connection was closed' : ''}`,
  };
}

async function unreadOn(context: Context, connections: number, requests: number): Promise<Told> {
  const { port, random } = context;
  const peers = Array.from(
    { length: connections },
    () => new FramePeer(openDuplex(port, oneOf<Door>(random, 'tcp', 'websocket'))),
  );
  await Promise.all(peers.map((peer) => writePeeks(peer, requests)));
  await hold(context);
  const closed = peers.filter(({ duplex }) => duplex.destroyed).length;
  return { text: `${connections} x ${requests} peeks, ${closed} connections closed` };
}

export const UNREAD_ATTACKS: Readonly<Record<string, Attack>> = {
  pipelined: {
    about: 'requests over HTTP behind each other, whose answers nobody reads',
    prepare: (context) => fill(context, 20, context.random.integer(150, 250) * KB),
    run: pipelined,
  },
  'unread-events': {
    about: 'streams of events that nobody reads',
    prepare: (context) => fill(context, Math.ceil(1000 * context.scale), 1000),
    run: unreadEvents,
  },
  'unread-in-transaction': {
    about: '9,000 peeks in an open transaction, whose answers nobody reads',
    prepare: (context) => fill(context, 20, context.random.integer(100, 250) * KB),
    run: unreadInTransaction,
  },
  'unread-large': {
    about: '90 peeks of a message of 40 MB, whose answers nobody reads',
    prepare: (context) => fill(context, 1, context.random.integer(20, 45) * KB * KB * context.scale),
    run: (context) => unreadOn(context, context.random.integer(1, 3), 90),
  },
  'unread-many': {
    about: '150 connections with 90 peeks each, whose answers nobody reads',
    prepare: (context) => fill(context, 20, context.random.integer(100, 250) * KB),
    run: (context) => unreadOn(context, about(context, 150), 90),
  },
};
