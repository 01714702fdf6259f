// A client that speaks of transactions: control links, operations of a transaction, on as many AMQP sessions as it likes.

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
  writeDetach,
  writeMessage,
} from './frame-links.js';
import { composite, type ListShape, readList } from './frame-lists.js';
import { dataSection, section } from './frame-message.js';
import { notation } from './frame-notation.js';

/** The handle of the control link that is used when no other is named. */
const CONTROL = 100;

/** The state of a transfer, or of a settlement with this outcome. */
export function inTransaction(id: Buffer, outcome?: Encoded, shape: ListShape = {}): Encoded {
  const fields = { transactionId: bin(id), ...(outcome === undefined ? {} : { outcome }) };
  return composite('transactional-state', fields, shape);
}

export class TransactionClient {
  readonly channel: FrameChannel;
  readonly #used = new Map<number, number>();

  constructor(channel: FrameChannel) {
    this.channel = channel;
  }

  /** One AMQP session on a connection of its own. */
  static async open(duplex: Duplex): Promise<TransactionClient> {
    return TransactionClient.begin(await openClient(duplex), 0);
  }

  /** Another session of the connection. */
  static async begin(client: FrameClient, number: number): Promise<TransactionClient> {
    return new TransactionClient(await beginSession(client, number));
  }

  /** The answer to the attach of a control link that has credit. */
  async openControl({ handle = CONTROL, target = composite('coordinator') } = {}): Promise<Frame> {
    this.channel.send('attach', senderFields(handle, { target }));
    const attach = await this.channel.take('attach');
    await this.channel.take('flow', hasCredit);
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
    return this.discharge(id, false, handle);
  }

  rollBack(id: Buffer, handle = CONTROL): Promise<string> {
    return this.discharge(id, true, handle);
  }

  async discharge(id: Buffer, isFailed: boolean, handle = CONTROL): Promise<string> {
    const body = composite('discharge', { transactionId: bin(id), fail: boolean(isFailed) });
    return outcome(await this.control(body, handle));
  }

  /** What is said of a message to the coordinator with this value as its body. */
  control(value: Encoded, handle = CONTROL): Promise<Frame> {
    return this.answerTo(this.write(handle, section('value', value)));
  }

  async openSender(handle: number, path: string, properties: Record<string, Encoded> = {}): Promise<Frame> {
    const symbols = Object.entries(properties).map(([key, value]) => [sym(key), value] as const);
    const target = composite('target', { address: str(path) });
    this.channel.send('attach', senderFields(handle, { target, properties: map(symbols) }));
    const attach = await this.channel.take('attach');
    if (attach.field('target')?.type !== 'null') await this.channel.take('flow');
    return attach;
  }

  async openReceiver(handle: number, path: string, { isSettled = false } = {}): Promise<Frame> {
    const source = composite('source', { address: str(path) });
    const mode = isSettled ? { sndSettleMode: ubyte(1) } : {};
    this.channel.send('attach', receiverFields(handle, { source, ...mode }));
    return this.channel.take('attach');
  }

  /** Writes a message, in several frames if need be, without waiting; returns its delivery-id. */
  write(handle: number, message: Buffer, options: { state?: Encoded; settled?: true } = {}): number {
    return writeMessage(this.channel, handle, message, options);
  }

  /** The outcome of a message, in a transaction or not. */
  async send(handle: number, text: string, id?: Buffer): Promise<string> {
    const state = id === undefined ? {} : { state: inTransaction(id) };
    return outcome(await this.answerTo(this.write(handle, dataSection(text), state)));
  }

  answerTo(deliveryId: number): Promise<Frame> {
    return takeDisposition(this.channel, deliveryId, 'receiver');
  }

  /** One more message. */
  receive(handle: number): Promise<TextDelivery> {
    this.credit(handle);
    return takeText(this.channel);
  }

  credit(handle: number): void {
    const deliveryCount = this.#used.get(handle) ?? 0;
    this.#used.set(handle, deliveryCount + 1);
    giveCredit(this.channel, handle, 1, { deliveryCount });
  }

  /** Settles a delivery and returns the server's answer. */
  settle({ deliveryId }: ReceivedDelivery, state: Encoded): Promise<Frame> {
    return settle(this.channel, deliveryId, state);
  }

  dispose(first: number, state: Encoded, { last = first, settled = false } = {}): void {
    this.channel.send('disposition', dispositionFields(first, last, { state, settled }));
  }

  wordOn(deliveryId: number): Promise<Frame> {
    return takeDisposition(this.channel, deliveryId, 'sender');
  }

  detach(handle: number): Promise<void> {
    return detachLink(this.channel, handle);
  }

  /** The client's half of a detach that the server began. */
  answerDetach(handle: number): void {
    writeDetach(this.channel, handle);
  }

  /** The server's own detach. */
  detached(): Promise<Refusal> {
    return takeRefusal(this.channel);
  }
}

/** `accepted[]`, or what else it is; settled, as all that answers a message is. */
export function outcome(frame: Frame): string {
  if (!isTrue(frame, 'settled')) throw new Error(`it is not settled: ${frame.text}`);
  return notation(frame.field('state'));
}
