// A client of one queue, frame by frame: sends texts, gives credit, takes deliveries apart, asks `$management` about their locks.

import type { Duplex } from 'node:stream';
import { pieceFields } from './endpoint-frames.js';
import { type FrameChannel, isTrue, type ReceivedDelivery } from './frame-channel.js';
import { array, boolean, type Encoded, map, str, uint, uuid } from './frame-encoder.js';
import type { Frame } from './frame-inbox.js';
import { attachReceiver, attachSender, openSession, receiveOne, sendPieces } from './frame-links.js';
import {
  applicationProperties,
  dataSection,
  propertiesSection,
  ReceivedMessage,
  section,
} from './frame-message.js';
import { notation } from './frame-notation.js';

const LARGE_WINDOW = 2_147_483_647;
const PIECE_BYTES = 60_000;
const HANDLE = { sender: 0, receiver: 1, request: 2, response: 3 } as const;
/** A delivery tag is a .NET Guid, an AMQP uuid is in the order of RFC 4122. */
const GUID_ORDER = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];

export type TextDelivery = ReceivedDelivery & {
  readonly text: string;
  readonly deliveryCount: number;
  /** In milliseconds; undefined when it is not locked. */
  readonly lockedUntil: number | undefined;
};

export type Credit = {
  readonly credit: number;
  /** Credit used since the attach. */
  readonly used?: number;
  readonly drain?: boolean;
  readonly window?: number;
};

export class QueueClient {
  readonly session: FrameChannel;
  readonly #duplex: Duplex;
  readonly #queue: string;
  #sentCount = 0;
  #requestCount = 0;

  private constructor(duplex: Duplex, session: FrameChannel, queue: string) {
    this.#duplex = duplex;
    this.session = session;
    this.#queue = queue;
  }

  static async open(duplex: Duplex, queue = 'q'): Promise<QueueClient> {
    return new QueueClient(duplex, await openSession(duplex), queue);
  }

  /** A client that has sent these texts, in this order. */
  static async sending(duplex: Duplex, ...texts: readonly string[]): Promise<QueueClient> {
    const client = await QueueClient.open(duplex);
    await client.openSender();
    await client.send(...texts);
    return client;
  }

  /** A client with a receiver that has this credit. */
  static async receiving(duplex: Duplex, credit: number): Promise<QueueClient> {
    const client = await QueueClient.open(duplex);
    await client.openReceiver();
    if (credit > 0) client.give({ credit });
    return client;
  }

  async openSender(): Promise<void> {
    await attachSender(this.session, HANDLE.sender, this.#queue);
  }

  async openReceiver({ isSettled = false } = {}): Promise<void> {
    await attachReceiver(this.session, HANDLE.receiver, { path: this.#queue, isSettled });
  }

  /** Resolves when all are accepted. */
  async send(...texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      const deliveryId = this.#sentCount++;
      const outcome = await sendPieces(this.session, HANDLE.sender, {
        pieces: [dataSection(text)],
        deliveryId,
      });
      const state = notation(outcome.field('state'));
      if (state !== 'accepted[]') throw new Error(`the message was not accepted: ${state}`);
    }
  }

  /** Writes a message, in several frames if need be, and waits for nothing. */
  transfer(message: Uint8Array, { settled = false, messageFormat = 0 } = {}): void {
    const deliveryId = this.#sentCount++;
    for (let start = 0; start < message.length; start += PIECE_BYTES) {
      const more = start + PIECE_BYTES < message.length;
      const fields = pieceFields(HANDLE.sender, { deliveryId, settled, more });
      const payload = message.subarray(start, start + PIECE_BYTES);
      this.session.send('transfer', { ...fields, messageFormat: uint(messageFormat) }, { payload });
    }
  }

  give({ credit, used = 0, drain = false, window = LARGE_WINDOW }: Credit): void {
    this.session.send('flow', {
      nextIncomingId: uint(this.session.nextIncomingId),
      incomingWindow: uint(window),
      nextOutgoingId: uint(this.session.sentTransferCount),
      outgoingWindow: uint(LARGE_WINDOW),
      handle: uint(HANDLE.receiver),
      deliveryCount: uint(used),
      linkCredit: uint(credit),
      drain: boolean(drain),
    });
  }

  /** The answer to a drain. */
  takeDrained(): Promise<Frame> {
    return this.session.take('flow', (flow) => isTrue(flow, 'drain'));
  }

  async take(): Promise<TextDelivery> {
    const delivery = await this.session.takeDelivery();
    const message = new ReceivedMessage(delivery.payload);
    const body = message.section('data')?.value;
    const lockedUntil = message.entry('messageAnnotations', 'x-opt-locked-until');
    return {
      ...delivery,
      text: body?.type === 'binary' ? body.value.toString() : '',
      deliveryCount: Number(message.header('deliveryCount')?.value),
      lockedUntil: lockedUntil === undefined ? undefined : Number(lockedUntil.value),
    };
  }

  async takeTexts(count: number): Promise<string[]> {
    const texts: string[] = [];
    while (texts.length < count) texts.push((await this.take()).text);
    return texts;
  }

  /** No message has come, and none is on its way. */
  expectNone(): Promise<void> {
    return this.session.expectNothing(['flow', 'disposition']);
  }

  async closeReceiver(): Promise<void> {
    this.session.send('detach', { handle: uint(HANDLE.receiver), closed: boolean(true) });
    await this.session.take('detach');
  }

  /** The connection is lost without a word. */
  vanish(): void {
    this.#duplex.destroy();
  }

  async openManagement(): Promise<void> {
    const path = `${this.#queue}/$management`;
    await attachSender(this.session, HANDLE.request, path);
    await attachReceiver(this.session, HANDLE.response, { path, isSettled: true });
  }

  renewLock({ tag }: ReceivedDelivery): Promise<string> {
    return this.#ask('com.microsoft:renew-lock', [[str('lock-tokens'), array([uuid(uuidOf(tag))])]]);
  }

  /** `status` as the SDKs write it, such as `completed`. */
  updateDisposition({ tag }: ReceivedDelivery, status: string): Promise<string> {
    return this.#ask('com.microsoft:update-disposition', [
      [str('lock-tokens'), array([uuid(uuidOf(tag))])],
      [str('disposition-status'), str(status)],
    ]);
  }

  /** The status code of the answer and, of a failure, its condition: `410 com.microsoft:message-lock-lost`. */
  async #ask(operation: string, body: readonly (readonly [Encoded, Encoded])[]): Promise<string> {
    const request = Buffer.concat([
      propertiesSection({ messageId: str(`request ${this.#requestCount}`), replyTo: str('receiver-3') }),
      applicationProperties({ operation: str(operation) }),
      section('value', map(body)),
    ]);
    const deliveryId = this.#sentCount++;
    await sendPieces(this.session, HANDLE.request, { pieces: [request], deliveryId });
    const reply = await receiveOne(this.session, HANDLE.response, this.#requestCount++);
    const message = new ReceivedMessage(reply.payload);
    const parts = [message.entry('applicationProperties', 'statusCode'), errorCondition(message)];
    return parts.flatMap((part) => (part === undefined ? [] : [String(part.value)])).join(' ');
  }
}

function errorCondition(message: ReceivedMessage) {
  return message.entry('applicationProperties', 'errorCondition');
}

function uuidOf(tag: Buffer): Buffer {
  return Buffer.from(GUID_ORDER.map((index) => tag.readUInt8(index)));
}
