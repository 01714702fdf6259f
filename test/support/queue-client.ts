// A client of one queue: sends texts, gives credit, takes deliveries apart, settles by lock token.

import type { Duplex } from 'node:stream';
import { type Body, ManagementClient } from '../amqp/management/management-client.js';
import { type Frame, type FrameChannel, isTrue, type ReceivedDelivery } from './frame-channel.js';
import { array, str, uuid } from './frame-encoder.js';
import {
  attachReceiver,
  attachSender,
  detachLink,
  giveCredit,
  lockToken,
  openSession,
  type TextDelivery,
  takeDisposition,
  takeText,
  writeMessage,
} from './frame-links.js';
import { dataSection } from './frame-message.js';
import { notation } from './frame-notation.js';

const HANDLE = { sender: 0, receiver: 1, management: 2 } as const;

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
  #management: ManagementClient | undefined;

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
      writeMessage(this.session, HANDLE.sender, dataSection(text), { deliveryId });
      const outcome = await takeDisposition(this.session, deliveryId, 'receiver');
      const state = notation(outcome.field('state'));
      if (state !== 'accepted[]') throw new Error(`the message was not accepted: ${state}`);
    }
  }

  /** Writes a message, in several frames if need be, without waiting. */
  transfer(message: Uint8Array, options: { settled?: boolean; messageFormat?: number } = {}): void {
    writeMessage(this.session, HANDLE.sender, message, { ...options, deliveryId: this.#sentCount++ });
  }

  give({ credit, used = 0, drain = false, window }: Credit): void {
    const shape = { deliveryCount: used, drain, ...(window === undefined ? {} : { incomingWindow: window }) };
    giveCredit(this.session, HANDLE.receiver, credit, shape);
  }

  /** The answer to a drain. */
  takeDrained(): Promise<Frame> {
    return this.session.take('flow', (flow) => isTrue(flow, 'drain'));
  }

  take(): Promise<TextDelivery> {
    return takeText(this.session);
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

  closeReceiver(): Promise<void> {
    return detachLink(this.session, HANDLE.receiver);
  }

  /** The connection is lost without a word. */
  vanish(): void {
    this.#duplex.destroy();
  }

  async openManagement(): Promise<void> {
    this.#management = await ManagementClient.open(this.session, this.#queue, { handle: HANDLE.management });
  }

  renewLock(delivery: ReceivedDelivery): Promise<string> {
    return this.#ask('renew-lock', delivery);
  }

  /** `status` as the SDKs write it, such as `completed`. */
  updateDisposition(delivery: ReceivedDelivery, status: string): Promise<string> {
    return this.#ask('update-disposition', delivery, { 'disposition-status': str(status) });
  }

  /** The status code of the answer and, of a failure, its condition: `410 com.microsoft:message-lock-lost`. */
  async #ask(operation: string, { tag }: ReceivedDelivery, more: Body = {}): Promise<string> {
    if (this.#management === undefined) throw new Error('the links to $management are not open');
    const body = { 'lock-tokens': array([uuid(lockToken(tag))]), ...more };
    const { status, condition } = await this.#management.ask(operation, body);
    return `${status} ${condition}`.replace('int ', '').replace(" '", ' ').replace(' absent', '');
  }
}
