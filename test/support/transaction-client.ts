// A client that speaks of transactions, frame by frame: control links, operations of a transaction, on as many AMQP sessions as it likes.

import type { Duplex } from 'node:stream';
import { beginSession, conditionOf, creditFields, receiverFields, senderFields } from './endpoint-frames.js';
import { type FrameChannel, isTrue, numberOf, type ReceivedDelivery } from './frame-channel.js';
import { FrameClient } from './frame-client.js';
import { bin, boolean, type Encoded, map, str, sym, TRUE, ubyte, uint } from './frame-encoder.js';
import type { Frame } from './frame-inbox.js';
import { composite, type ListShape, readList } from './frame-lists.js';
import { dataSection, ReceivedMessage, section } from './frame-message.js';
import { notation } from './frame-notation.js';

/** Of the control link that is used when no other is named. */
const CONTROL = 100;
const PIECE_BYTES = 60_000;

export type TextReceived = ReceivedDelivery & { readonly text: string };
export type Refusal = { readonly condition: string | undefined; readonly description: string };

export async function openClient(duplex: Duplex): Promise<FrameClient> {
  const client = new FrameClient(duplex);
  client.writeHeader('amqp');
  client.send('open', { containerId: str('a client') });
  await client.expectHeader('amqp');
  await client.expect('open');
  return client;
}

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
    await this.channel.take('flow', (flow) => (numberOf(flow, 'linkCredit') ?? 0) > 0);
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

  /** Writes a message, in several frames if need be, and waits for nothing; gives back its delivery-id. */
  write(
    handle: number,
    message: Buffer,
    { state, settled }: { state?: Encoded; settled?: true } = {},
  ): number {
    const deliveryId = this.channel.sentTransferCount;
    const first = {
      deliveryId: uint(deliveryId),
      deliveryTag: bin(Buffer.of(deliveryId & 0xff)),
      messageFormat: uint(0),
      ...(settled === undefined ? {} : { settled: TRUE }),
      ...(state === undefined ? {} : { state }),
    };
    for (let start = 0; start < message.length; start += PIECE_BYTES) {
      const more = boolean(start + PIECE_BYTES < message.length);
      const fields = { ...(start === 0 ? first : {}), handle: uint(handle), more };
      this.channel.send('transfer', fields, { payload: message.subarray(start, start + PIECE_BYTES) });
    }
    return deliveryId;
  }

  /** The outcome of a message, in a transaction or not. */
  async send(handle: number, text: string, id?: Buffer): Promise<string> {
    const state = id === undefined ? {} : { state: inTransaction(id) };
    return outcome(await this.answerTo(this.write(handle, dataSection(text), state)));
  }

  answerTo(deliveryId: number): Promise<Frame> {
    return this.channel.take('disposition', (frame) => isTrue(frame, 'role') && isAbout(frame, deliveryId));
  }

  /** One more message. */
  async receive(handle: number): Promise<TextReceived> {
    this.credit(handle);
    const delivery = await this.channel.takeDelivery();
    const body = new ReceivedMessage(delivery.payload).section('data')?.value;
    return { ...delivery, text: body?.type === 'binary' ? body.value.toString() : '' };
  }

  credit(handle: number): void {
    const deliveryCount = this.#used.get(handle) ?? 0;
    this.#used.set(handle, deliveryCount + 1);
    const { nextIncomingId } = this.channel;
    this.channel.send('flow', creditFields(handle, 1, { deliveryCount, nextIncomingId }));
  }

  /** The server's word on a delivery that the client gives this state. */
  settle({ deliveryId }: ReceivedDelivery, state: Encoded): Promise<Frame> {
    this.dispose(deliveryId, state);
    return this.wordOn(deliveryId);
  }

  dispose(first: number, state: Encoded, { last = first, settled = false } = {}): void {
    const range = { first: uint(first), last: uint(last) };
    this.channel.send('disposition', { role: TRUE, ...range, settled: boolean(settled), state });
  }

  wordOn(deliveryId: number): Promise<Frame> {
    return this.channel.take('disposition', (frame) => !isTrue(frame, 'role') && isAbout(frame, deliveryId));
  }

  async detach(handle: number): Promise<void> {
    this.channel.send('detach', { handle: uint(handle), closed: TRUE });
    await this.channel.take('detach');
  }

  /** The client's half of a detach that the server began. */
  answerDetach(handle: number): void {
    this.channel.send('detach', { handle: uint(handle), closed: TRUE });
  }

  /** The server's own detach. */
  async detached(): Promise<Refusal> {
    const detach = await this.channel.take('detach');
    const error = detach.field('error');
    const description = error?.type === 'described' ? readList(error).field('description')?.value : '';
    return { condition: conditionOf(detach), description: String(description) };
  }
}

/** `accepted[]`, or what else it is; settled, as all that answers a message is. */
export function outcome(frame: Frame): string {
  if (!isTrue(frame, 'settled')) throw new Error(`it is not settled: ${frame.text}`);
  return notation(frame.field('state'));
}

function isAbout(frame: Frame, deliveryId: number): boolean {
  const first = numberOf(frame, 'first') ?? -1;
  return first <= deliveryId && deliveryId <= (numberOf(frame, 'last') ?? first);
}
