// A client of links on one AMQP session, by their handles: sends, gives credit, takes deliveries, settles, in a transaction or not.

import type { Duplex } from 'node:stream';
import { type Frame, type FrameChannel, isTrue, type ReceivedDelivery } from './frame-channel.js';
import type { FrameClient } from './frame-client.js';
import { bin, boolean, type Encoded, map, str, sym, ubyte } from './frame-encoder.js';
import { dispositionFields, receiverFields, senderFields } from './frame-fields.js';
import {
  beginSession,
  detachLink,
  giveCredit,
  hasCredit,
  openClient,
  type Refusal,
  settle,
  type TextDelivery,
  takeDisposition,
  takeRefusal,
  takeText,
  type Written,
  writeDetach,
  writeMessage,
} from './frame-links.js';
import { composite, type ListShape, readList } from './frame-lists.js';
import { dataSection, section } from './frame-message.js';
import { notation } from './frame-notation.js';

/** The handles that are used when no other is named. */
const SENDER = 0;
const RECEIVER = 1;
const CONTROL = 100;

export type Credit = {
  readonly credit: number;
  /** Credit used since the attach. */
  readonly used?: number;
  readonly drain?: boolean;
  readonly window?: number;
};

/** The state of a transfer, or of a settlement with this outcome. */
export function inTransaction(id: Buffer, outcome?: Encoded, shape: ListShape = {}): Encoded {
  const fields = { transactionId: bin(id), ...(outcome === undefined ? {} : { outcome }) };
  return composite('transactional-state', fields, shape);
}

export class LinkClient {
  readonly session: FrameChannel;
  readonly #connection: FrameClient;
  readonly #path: string;
  /** Credit used, of each handle. */
  readonly #used = new Map<number, number>();

  private constructor(connection: FrameClient, session: FrameChannel, path: string) {
    this.#connection = connection;
    this.session = session;
    this.#path = path;
  }

  /** One AMQP session on a connection of its own; links are of the entity `path` unless they name another. */
  static async open(duplex: Duplex, path = 'q'): Promise<LinkClient> {
    return LinkClient.begin(await openClient(duplex), 0, path);
  }

  /** Another session of the connection. */
  static async begin(connection: FrameClient, number: number, path = 'q'): Promise<LinkClient> {
    return new LinkClient(connection, await beginSession(connection, number), path);
  }

  /** A client that has sent these texts, in this order. */
  static async sending(duplex: Duplex, ...texts: readonly string[]): Promise<LinkClient> {
    const client = await LinkClient.open(duplex);
    await client.openSender();
    await client.sendTexts(...texts);
    return client;
  }

  /** A client with a receiver that has this credit. */
  static async receiving(duplex: Duplex, credit: number): Promise<LinkClient> {
    const client = await LinkClient.open(duplex);
    await client.openReceiver();
    if (credit > 0) client.give({ credit });
    return client;
  }

  async openSender(
    handle = SENDER,
    path = this.#path,
    properties: Record<string, Encoded> = {},
  ): Promise<Frame> {
    const symbols = Object.entries(properties).map(([key, value]) => [sym(key), value] as const);
    const target = composite('target', { address: str(path) });
    this.session.send('attach', senderFields(handle, { target, properties: map(symbols) }));
    const attach = await this.session.take('attach');
    if (attach.field('target')?.type !== 'null') await this.session.take('flow');
    return attach;
  }

  async openReceiver(handle = RECEIVER, path = this.#path, { isSettled = false } = {}): Promise<Frame> {
    const source = composite('source', { address: str(path) });
    const mode = isSettled ? { sndSettleMode: ubyte(1), rcvSettleMode: ubyte(0) } : {};
    this.session.send('attach', receiverFields(handle, { source, ...mode }));
    return this.session.take('attach');
  }

  /** Resolves when all are accepted. */
  async sendTexts(...texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      const state = await this.send(SENDER, text);
      if (state !== 'accepted[]') throw new Error(`the message was not accepted: ${state}`);
    }
  }

  /** The outcome of a message, in a transaction or not. */
  async send(handle: number, text: string, id?: Buffer): Promise<string> {
    const state = id === undefined ? {} : { state: inTransaction(id) };
    return outcome(await this.answerTo(this.write(handle, dataSection(text), state)));
  }

  /** Writes a message, in several frames if need be, without waiting; returns its delivery-id. */
  write(handle: number, message: Uint8Array, options: Written = {}): number {
    return writeMessage(this.session, handle, message, options);
  }

  transfer(message: Uint8Array, options: Written = {}): number {
    return this.write(SENDER, message, options);
  }

  answerTo(deliveryId: number): Promise<Frame> {
    return takeDisposition(this.session, deliveryId, 'receiver');
  }

  give({ credit, used = 0, drain = false, window }: Credit): void {
    const shape = { deliveryCount: used, drain, ...(window === undefined ? {} : { incomingWindow: window }) };
    giveCredit(this.session, RECEIVER, credit, shape);
  }

  /** The credit for one more message. */
  credit(handle: number): void {
    const deliveryCount = this.#used.get(handle) ?? 0;
    this.#used.set(handle, deliveryCount + 1);
    giveCredit(this.session, handle, 1, { deliveryCount });
  }

  /** One more message. */
  receive(handle: number): Promise<TextDelivery> {
    this.credit(handle);
    return takeText(this.session);
  }

  take(): Promise<TextDelivery> {
    return takeText(this.session);
  }

  async takeTexts(count: number): Promise<string[]> {
    const texts: string[] = [];
    while (texts.length < count) texts.push((await this.take()).text);
    return texts;
  }

  /** The answer to a drain. */
  takeDrained(): Promise<Frame> {
    return this.session.take('flow', (flow) => isTrue(flow, 'drain'));
  }

  /** No message has come, and none is on its way. */
  expectNone(): Promise<void> {
    return this.session.expectNothing(['flow', 'disposition']);
  }

  /** Settles a delivery and returns the server's answer. */
  settle({ deliveryId }: ReceivedDelivery, state: Encoded): Promise<Frame> {
    return settle(this.session, deliveryId, state);
  }

  dispose(first: number, state: Encoded, { last = first, settled = false } = {}): void {
    this.session.send('disposition', dispositionFields(first, last, { state, settled }));
  }

  wordOn(deliveryId: number): Promise<Frame> {
    return takeDisposition(this.session, deliveryId, 'sender');
  }

  detach(handle = RECEIVER): Promise<void> {
    return detachLink(this.session, handle);
  }

  /** The client's half of a detach that the server began. */
  answerDetach(handle: number): void {
    writeDetach(this.session, handle);
  }

  /** The server's own detach. */
  detached(): Promise<Refusal> {
    return takeRefusal(this.session);
  }

  /** The connection is lost without a word. */
  vanish(): void {
    this.#connection.destroy();
  }

  /** The answer to the attach of a control link that has credit. */
  async openControl({ handle = CONTROL, target = composite('coordinator') } = {}): Promise<Frame> {
    this.session.send('attach', senderFields(handle, { target }));
    const attach = await this.session.take('attach');
    await this.session.take('flow', hasCredit);
    return attach;
  }

  /** The id of a new transaction. */
  async declare(handle = CONTROL, shape: ListShape = {}): Promise<Buffer> {
    const answer = await this.control(composite('declare', {}, shape), handle);
    const state = readList(answer.field('state'));
    const id = state.name === 'declared' ? state.field('transactionId') : undefined;
    if (id?.type !== 'binary' || !isTrue(answer, 'settled'))
      throw new Error(`it was answered ${answer.text}`);
    return id.value;
  }

  commit(id: Buffer, handle = CONTROL): Promise<string> {
    return this.#discharge(id, false, handle);
  }

  rollBack(id: Buffer, handle = CONTROL): Promise<string> {
    return this.#discharge(id, true, handle);
  }

  /** What is said of a message to the coordinator with this value as its body. */
  control(value: Encoded, handle = CONTROL): Promise<Frame> {
    return this.answerTo(this.write(handle, section('value', value)));
  }

  async #discharge(id: Buffer, isFailed: boolean, handle: number): Promise<string> {
    const body = composite('discharge', { transactionId: bin(id), fail: boolean(isFailed) });
    return outcome(await this.control(body, handle));
  }
}

/** `accepted[]`, or what else it is; settled, as all that answers a message is. */
export function outcome(frame: Frame): string {
  if (!isTrue(frame, 'settled')) throw new Error(`it is not settled: ${frame.text}`);
  return notation(frame.field('state'));
}
