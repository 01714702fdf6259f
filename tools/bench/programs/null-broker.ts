// The broker that does nothing (N of the benchmark), on the port it is given: the same AMQP endpoint, accepting everything and
// handing it to one receiver an address, without engine, rules or journal. What it puts before a message is one constant.

import { createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { readAddress } from '../../../src/amqp/address.js';
import { CbsNode } from '../../../src/amqp/management/cbs-node.js';
import { RequestLinks } from '../../../src/amqp/management/request-links.js';
import { Connection } from '../../../src/amqp/protocol/connection.js';
import type { Link } from '../../../src/amqp/protocol/link-table.js';
import type { ClientDisposition } from '../../../src/amqp/protocol/outgoing-transfers.js';
import type { ReceiverLink, ReceiverLinkOwner } from '../../../src/amqp/protocol/receiver-link.js';
import type {
  IncomingDelivery,
  SenderLink,
  SenderLinkOwner,
} from '../../../src/amqp/protocol/sender-link.js';
import { Transport } from '../../../src/amqp/transport.js';
import { ByteWriter } from '../../../src/codec/byte-writer.js';
import { ACCEPTED } from '../../../src/codec/delivery-state.js';
import { decodeTerminus } from '../../../src/codec/terminus.js';
import { amqp } from '../../../src/codec/types.js';
import { ReadBuffer } from '../../../src/gateway/read-buffer.js';

const BATCH_FORMAT = 0x80013700;
const CREDIT = 1000;

/** A header and the annotations every delivery needs, encoded once. */
function constantHead(): Buffer {
  const writer = new ByteWriter();
  writer.descriptor(0x70);
  writer.compound32(0xd0, () => {
    for (let index = 0; index < 4; index++) writer.null();
    writer.uint(0);
    return 5;
  });
  writer.descriptor(0x72);
  writer.value(
    amqp.map([
      [amqp.symbol('x-opt-sequence-number'), amqp.long(1)],
      [amqp.symbol('x-opt-enqueued-time'), amqp.timestamp(1_700_000_000_000)],
      [amqp.symbol('x-opt-locked-until'), amqp.timestamp(4_102_444_800_000)],
    ]),
  );
  return writer.take();
}

/** Where the properties begin: behind the header and annotations that JavaScript clients write as lists and maps. */
function bareOffset(message: Buffer): number {
  let offset = 0;
  while (message[offset] === 0x00 && message[offset + 1] === 0x53 && (message[offset + 2] as number) < 0x73) {
    const code = message[offset + 3] as number;
    if (code === 0x45) offset += 4;
    else if (code < 0xd0) offset += 5 + (message[offset + 4] as number);
    else offset += 8 + message.readUInt32BE(offset + 4);
  }
  return offset;
}

/** The data sections of an envelope, whose inner messages the SDK writes as one binary each. */
function* innerMessages(envelope: Buffer): Generator<Buffer> {
  let offset = bareOffset(envelope);
  while (offset < envelope.length) {
    const section = envelope[offset + 2];
    const code = envelope[offset + 3] as number;
    const isWide = code >= 0xb0;
    const size = isWide ? envelope.readUInt32BE(offset + 4) : (envelope[offset + 4] as number);
    const start = offset + (isWide ? 8 : 5);
    if (section === 0x75) yield Buffer.from(envelope.subarray(start, start + size));
    offset = start + size;
  }
}

class NullQueue {
  readonly messages: Buffer[] = [];
  head = 0;
  readonly receivers = new Set<NullReceiver>();

  push(message: Buffer): void {
    this.messages.push(message);
  }

  pump(): void {
    for (const receiver of this.receivers) receiver.pump();
  }

  shift(): Buffer | undefined {
    const message = this.messages[this.head];
    if (message === undefined) {
      this.messages.length = 0;
      this.head = 0;
      return undefined;
    }
    this.messages[this.head++] = undefined as never;
    return message;
  }
}

class NullSender implements SenderLinkOwner {
  readonly #link: SenderLink;
  readonly #queue: NullQueue;

  constructor(link: SenderLink, queue: NullQueue) {
    this.#link = link;
    this.#queue = queue;
    link.accept(this, { maxMessageSize: 1024 * 1024 });
    link.setCredit(CREDIT);
  }

  delivered(delivery: IncomingDelivery): void {
    if (delivery.messageFormat === BATCH_FORMAT) {
      for (const message of innerMessages(delivery.payload)) this.#queue.push(message);
    } else {
      this.#queue.push(Buffer.from(delivery.payload));
    }
    if (!delivery.isSettled) this.#link.settle(delivery.deliveryId, ACCEPTED);
    if (this.#link.credit < CREDIT / 2) this.#link.setCredit(CREDIT);
    this.#queue.pump();
  }

  detached(): void {}
}

class NullReceiver implements ReceiverLinkOwner {
  readonly #link: ReceiverLink;
  readonly #queue: NullQueue;
  readonly #head: Buffer;
  #tag = 0;

  constructor(link: ReceiverLink, queue: NullQueue, head: Buffer) {
    this.#link = link;
    this.#queue = queue;
    this.#head = head;
    queue.receivers.add(this);
    link.accept(this);
  }

  pump(): void {
    const isSettled = this.#link.attach.sndSettleMode === 1;
    while (this.#link.credit > 0 && this.#link.canSend) {
      const message = this.#queue.shift();
      if (message === undefined) break;
      const tag = Buffer.alloc(16);
      tag.writeUInt32BE(this.#tag++, 12);
      const payload = [this.#head, message.subarray(bareOffset(message))];
      this.#link.send({ tag, payload, isSettled, context: '' });
    }
    if (this.#link.isDraining) this.#link.drained();
  }

  flowed(): void {
    this.pump();
  }

  writable(): void {
    this.pump();
  }

  disposed({ deliveryId, state, isSettled }: ClientDisposition): void {
    if (!isSettled && state !== undefined) this.#link.settle(deliveryId, state);
  }

  detached(): void {
    this.#queue.receivers.delete(this);
  }
}

const CONTEXT = { host: 'null', nextGuid: () => '0'.repeat(32) };

class NullBroker {
  readonly #queues = new Map<string, NullQueue>();
  readonly #head = constantHead();
  readonly #cbs = new CbsNode({
    namespaceOf: () => ({ engine: { ask: async () => ({ kind: 'done' }) }, authorizer: undefined }),
    claims: undefined,
    context: CONTEXT,
    now: () => 0,
    faulted: () => {},
  });

  serve(duplex: Duplex): void {
    const requestLinks = new RequestLinks(CONTEXT);
    const connection = new Connection(
      {
        outputReady: () => transport.outputReady(),
        misaddressed: () => {},
        accepts: () => true,
        opened: () => {},
        attached: (link) => this.#attach(link, requestLinks),
        ended: () => transport.end(),
      },
      { containerId: 'null', product: 'null', version: '0' },
    );
    const owner = { received: () => {}, sent: () => {}, closed: () => {} };
    const transport = new Transport(connection, duplex, { owner, nudges: true });
  }

  #attach(link: Link, requestLinks: RequestLinks): void {
    const terminus = decodeTerminus(link.role === 'sender' ? link.attach.target : link.attach.source);
    const address = readAddress(terminus?.address ?? '');
    if (address.kind !== 'entity') {
      if (link.role === 'sender') requestLinks.acceptSender(link, this.#cbs);
      else requestLinks.acceptReceiver(link, this.#cbs);
    } else if (link.role === 'sender') {
      new NullSender(link, this.#queue(address.entityPath));
    } else {
      new NullReceiver(link, this.#queue(address.entityPath), this.#head);
    }
  }

  #queue(path: string): NullQueue {
    const queue = this.#queues.get(path) ?? new NullQueue();
    this.#queues.set(path, queue);
    return queue;
  }
}

const broker = new NullBroker();
const readBuffer = new ReadBuffer();
createServer({ noDelay: true }, (socket) => broker.serve(readBuffer.adopt(socket))).listen(
  Number(process.argv[2]),
  '127.0.0.1',
);
