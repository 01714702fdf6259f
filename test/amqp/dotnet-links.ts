// The frames of the .NET SDK's sender and receiver links in a transaction, and how the SDK reads the answers.

import { type Frame, type FrameChannel, isTrue, numberOf } from '../support/frame-channel.js';
import type { Decoded } from '../support/frame-decoder.js';
import { bin, boolean, type Encoded, FALSE, NULL, TRUE, uint } from '../support/frame-encoder.js';
import { conditionOf } from '../support/frame-fields.js';
import { hasCredit, lockToken, takeDisposition, writeDetach } from '../support/frame-links.js';
import { composite, readList } from '../support/frame-lists.js';
import { ReceivedMessage, section } from '../support/frame-message.js';
import { inTransaction } from '../support/transaction-client.js';
import type { VirtualClock } from '../support/virtual-clock.js';
import { sequenceNumberOf, textOf } from './management/surroundings.js';

export const UNLIMITED = uint(4_294_967_295);
const BATCH_FORMAT = 0x80013700;
export type Scope = { readonly id: Buffer; readonly enlisted: (() => Promise<void>)[] };
export type Message = {
  readonly deliveryId: number;
  readonly token: Buffer;
  readonly sequenceNumber: number;
  readonly text: string;
};
export type Link = { readonly channel: FrameChannel; readonly handle: number; readonly serverHandle: number };

type Owner = {
  readonly clock: VirtualClock;
  rolledBack(): Promise<readonly string[]>;
  completeByToken(path: string, token: Buffer, options: { scope?: Scope | undefined }): Promise<string>;
};

export class Sender {
  readonly #link: Link;
  #count = 0;

  constructor(link: Link) {
    this.#link = link;
  }

  /** `accepted`, or why not. */
  async send(message: Buffer, scope?: Scope): Promise<string> {
    return this.outcome(this.write(message, scope), scope);
  }

  async sendBatch(messages: readonly Buffer[], scope?: Scope): Promise<string> {
    const batch = Buffer.concat(messages.map((message) => section('data', bin(message))));
    return this.outcome(this.write(batch, scope, BATCH_FORMAT), scope);
  }

  /** Waits for nothing. */
  write(message: Buffer, scope?: Scope, format = 0): number {
    const tag = Buffer.alloc(4);
    tag.writeUInt32LE(++this.#count);
    return writeTransfer(this.#link, message, { tag, format, scope });
  }

  /** Why the server has closed the link. */
  detached(): Promise<string> {
    return detached(this.#link);
  }

  async outcome(deliveryId: number, scope?: Scope): Promise<string> {
    return outcomeOf(await takeDisposition(this.#link.channel, deliveryId, 'receiver'), scope);
  }
}

export class Receiver {
  readonly sessionId: string | undefined;
  readonly #client: Owner;
  readonly #link: Link;
  readonly #path: string;
  #deliveryCount = 0;
  /** Deliveries that the server has not settled: others the client cannot settle on the link. */
  readonly #unsettled = new Set<Message>();

  constructor(client: Owner, link: Link, path: string, sessionId: string | undefined) {
    this.#client = client;
    this.#link = link;
    this.#path = path;
    this.sessionId = sessionId;
  }

  async receive(): Promise<Message> {
    this.#flow({ drain: false });
    const frame = await this.#link.channel.take('transfer', (each) => isOf(each, this.#link));
    this.#deliveryCount++;
    const tag = frame.field('deliveryTag');
    const bytes = tag?.type === 'binary' ? tag.value : Buffer.alloc(16);
    const received = new ReceivedMessage(frame.payload);
    const message = {
      deliveryId: numberOf(frame, 'deliveryId') ?? -1,
      token: lockToken(bytes),
      sequenceNumber: sequenceNumberOf(received),
      text: textOf(received),
    };
    this.#unsettled.add(message);
    return message;
  }

  /** Throws when a message comes in five seconds. */
  async receiveNothing(): Promise<void> {
    await this.#client.rolledBack();
    this.#flow({ drain: false });
    await this.#link.channel.expectNothing();
    this.#client.clock.advance(5_000);
    await this.#link.channel.expectNothing();
    this.#flow({ drain: true });
    const drained = await this.#link.channel.take('flow', (flow) => isDrained(flow, this.#link));
    this.#deliveryCount = numberOf(drained, 'deliveryCount') ?? -1;
  }

  complete(message: Message, scope?: Scope): Promise<string> {
    return this.#settle(message, composite('accepted'), scope);
  }

  /** Throws when the client would have to do it by token, as early versions cannot. */
  completeOnLink(message: Message): Promise<string> {
    if (!this.#unsettled.has(message)) throw new Error('the server has settled it');
    return this.complete(message);
  }

  abandon(message: Message, scope?: Scope): Promise<string> {
    return this.#settle(message, composite('modified'), scope);
  }

  defer(message: Message, scope?: Scope): Promise<string> {
    return this.#settle(message, composite('modified', { undeliverableHere: TRUE }), scope);
  }

  async close(): Promise<void> {
    const { channel, handle } = this.#link;
    writeDetach(channel, handle);
    await channel.take('detach', (frame) => isOf(frame, this.#link));
  }

  /** What is not in its map of deliveries the client settles by token, in a session not at all. */
  async #settle(message: Message, outcome: Encoded, scope: Scope | undefined): Promise<string> {
    if (!this.#unsettled.has(message)) {
      if (this.sessionId !== undefined) return 'com.microsoft:session-lock-lost';
      return this.#client.completeByToken(this.#path, message.token, { scope });
    }
    const { channel } = this.#link;
    const { deliveryId } = message;
    const state = scope === undefined ? outcome : inTransaction(scope.id, outcome);
    channel.send('disposition', { role: TRUE, first: uint(deliveryId), settled: FALSE, state });
    const word = await takeDisposition(channel, deliveryId, 'sender');
    if (isTrue(word, 'settled')) this.#unsettled.delete(message);
    else if (scope !== undefined) scope.enlisted.push(() => this.#settled(message));
    return outcomeOf(word, scope);
  }

  async #settled(message: Message): Promise<void> {
    const word = await takeDisposition(this.#link.channel, message.deliveryId, 'sender');
    if (!isTrue(word, 'settled')) throw new Error(`it is not settled: ${word.text}`);
    this.#unsettled.delete(message);
  }

  #flow({ drain }: { drain: boolean }): void {
    const { channel, handle } = this.#link;
    channel.send('flow', {
      nextIncomingId: uint(channel.nextIncomingId),
      incomingWindow: UNLIMITED,
      nextOutgoingId: uint(channel.sentTransferCount),
      outgoingWindow: UNLIMITED,
      handle: uint(handle),
      deliveryCount: uint(this.#deliveryCount),
      linkCredit: uint(1),
      drain: boolean(drain),
    });
  }
}

type Written = { readonly tag: Buffer; readonly format?: number; readonly scope?: Scope | undefined };

export function writeTransfer(
  { channel, handle }: Link,
  payload: Buffer,
  { tag, format = 0, scope }: Written,
) {
  const deliveryId = channel.sentTransferCount;
  const naming = { handle: uint(handle), deliveryId: uint(deliveryId), deliveryTag: bin(tag) };
  const rest = { messageFormat: uint(format), more: FALSE, ...stateIn(scope) };
  channel.send('transfer', { ...naming, ...rest, resume: FALSE, aborted: FALSE }, { payload });
  return deliveryId;
}

export function stateIn(scope: Scope | undefined): { state?: Encoded } {
  return scope === undefined ? {} : { state: inTransaction(scope.id, NULL) };
}

/** `accepted`, or the condition of a plain rejection; whatever else there is the client fails at. */
export function outcomeOf(frame: Frame, scope?: Scope): string {
  const state = readList(frame.field('state'));
  if (state.name === 'transactional-state') {
    if (!scope?.id.equals(bytesOf(state.field('transactionId')))) throw new Error(`not ours: ${frame.text}`);
    return readList(state.field('outcome')).name;
  }
  if (state.name !== 'rejected') return state.name;
  return String(readList(state.field('error')).field('condition')?.value);
}

function bytesOf(decoded: Decoded | undefined): Buffer {
  return decoded?.type === 'binary' ? decoded.value : Buffer.alloc(0);
}

export function takeCredit(link: Link): Promise<Frame> {
  return link.channel.take('flow', (flow) => isOf(flow, link) && hasCredit(flow));
}

/** Its condition; the client answers it. */
export async function detached(link: Link): Promise<string> {
  const detach = await link.channel.take('detach', (frame) => isOf(frame, link));
  writeDetach(link.channel, link.handle);
  return String(conditionOf(detach));
}

function isOf(frame: Frame, { serverHandle }: Link): boolean {
  return numberOf(frame, 'handle') === serverHandle;
}

function isDrained(flow: Frame, link: Link): boolean {
  return isOf(flow, link) && numberOf(flow, 'linkCredit') === 0;
}
