// A client of a queue `q` that requires sessions: requests sessions on as many links as it likes, and reads which it got.

import type { Duplex } from 'node:stream';
import { type Frame, type FrameChannel, numberOf } from './frame-channel.js';
import type { Decoded } from './frame-decoder.js';
import { type Encoded, map, NULL, str, sym, ubyte } from './frame-encoder.js';
import { receiverFields } from './frame-fields.js';
import {
  attachSender,
  detachLink,
  giveCredit,
  openSession,
  type Refusal,
  refusalIn,
  settle,
  type TextDelivery,
  takeDisposition,
  takeRefusal,
  takeText,
  writeMessage,
} from './frame-links.js';
import { composite, type Fields, readList } from './frame-lists.js';
import { dataSection, entryOf, propertiesSection } from './frame-message.js';

const SESSION_FILTER = sym('com.microsoft:session-filter');
const SENDER_HANDLE = 9999;
const TICKS_BEFORE_1970 = 621_355_968_000_000_000n;

export type Asked = {
  /** Default: handle 0. Its link is called `receiver <handle>`. */
  readonly handle?: number;
  readonly path?: string;
  /** All filters of the source, instead of that of a session. */
  readonly filter?: Encoded;
  readonly timeout?: Encoded;
  readonly isSettled?: boolean;
};

/** `DateTime.MaxValue` of .NET in milliseconds since 1970: the locked-until of every message in a session. */
export const LARGEST_DATE = 253_402_300_800_000;

export type Granted = {
  readonly handle: number;
  readonly sessionId: string;
  /** Milliseconds since 1970. */
  readonly lockedUntil: number;
  readonly attach: Frame;
};

export type SessionMessage = TextDelivery & { readonly handle: number };

export class SessionClient {
  readonly channel: FrameChannel;
  readonly #duplex: Duplex;
  /** Our handles by the server's. */
  readonly #handles = new Map<number | undefined, number>();
  #hasSender = false;

  private constructor(duplex: Duplex, channel: FrameChannel) {
    this.#duplex = duplex;
    this.channel = channel;
  }

  static async open(duplex: Duplex, options: { maxFrameSize?: number } = {}): Promise<SessionClient> {
    return new SessionClient(duplex, await openSession(duplex, options));
  }

  /** Asks for a session, null for the next one that is available, and waits for nothing. */
  ask(sessionId: string | null, { handle = 0, ...asked }: Asked = {}): void {
    this.channel.send('attach', sessionFields(handle, sessionId, asked));
  }

  /** The next attach with which the server gives away a session. */
  async granted(): Promise<Granted> {
    const attach = await this.channel.take('attach', (frame) => frame.field('source')?.type !== 'null');
    const [, handle] = /^receiver (\d+)$/.exec(String(attach.field('name')?.value)) ?? [];
    this.#handles.set(numberOf(attach, 'handle'), Number(handle));
    const value = entryOf(readList(attach.field('source')).field('filter'), 'com.microsoft:session-filter');
    const ticks = entryOf(attach.field('properties'), 'com.microsoft:locked-until-utc');
    const lockedUntil = Number((bigOf(ticks) - TICKS_BEFORE_1970) / 10_000n);
    return { handle: Number(handle), sessionId: String(value?.value), lockedUntil, attach };
  }

  /** Asks for a session that is there to be had. */
  async accept(sessionId: string | null, asked: Asked = {}): Promise<Granted> {
    this.ask(sessionId, asked);
    return this.granted();
  }

  /** The next attach without termini, and the detach that says why. */
  async refused(): Promise<Refusal> {
    const attach = await this.channel.take('attach', (frame) => frame.field('source')?.type === 'null');
    const serverHandle = numberOf(attach, 'handle');
    const detach = await this.channel.take('detach', (frame) => numberOf(frame, 'handle') === serverHandle);
    if (detach.writeIndex <= attach.writeIndex) throw new Error('attach and detach came in one write');
    return refusalIn(detach);
  }

  /** The next detach of ours that the server has begun. */
  detached(): Promise<Refusal> {
    return takeRefusal(this.channel);
  }

  give(credit: number, { handle = 0, used = 0, drain = false } = {}): void {
    giveCredit(this.channel, handle, credit, { deliveryCount: used, drain });
  }

  async take(): Promise<SessionMessage> {
    const delivery = await takeText(this.channel);
    return { ...delivery, handle: this.#handles.get(numberOf(delivery.transfer, 'handle')) ?? -1 };
  }

  /** Settles a delivery and returns the server's answer. */
  settle({ deliveryId }: SessionMessage, state: Encoded = composite('accepted')): Promise<Frame> {
    return settle(this.channel, deliveryId, state);
  }

  /** Closes a link, answered or not, and takes the answer. */
  close(handle = 0): Promise<void> {
    return detachLink(this.channel, handle);
  }

  async end(): Promise<void> {
    this.channel.send('end', {});
    await this.channel.take('end');
  }

  /** The connection is lost without a word. */
  vanish(): void {
    this.#duplex.destroy();
  }

  /** Resolves when all are accepted. */
  async send(sessionId: string, ...texts: readonly string[]): Promise<void> {
    if (!this.#hasSender) await attachSender(this.channel, SENDER_HANDLE, 'q');
    this.#hasSender = true;
    for (const text of texts) {
      const message = Buffer.concat([propertiesSection({ groupId: str(sessionId) }), dataSection(text)]);
      const deliveryId = writeMessage(this.channel, SENDER_HANDLE, message);
      const outcome = await takeDisposition(this.channel, deliveryId, 'receiver');
      const { name } = readList(outcome.field('state'));
      if (name !== 'accepted') throw new Error(`the message was not accepted: ${outcome.text}`);
    }
  }

  /** Nothing was said on any link. */
  expectSilence(): Promise<void> {
    return this.channel.expectNothing();
  }
}

export function sessionFields(
  handle: number,
  sessionId: string | null,
  { path = 'q', filter = sessionFilter(sessionId), timeout, isSettled = false }: Omit<Asked, 'handle'> = {},
): Fields<'attach'> {
  return receiverFields(handle, {
    ...(isSettled ? { sndSettleMode: ubyte(1), rcvSettleMode: ubyte(0) } : {}),
    source: composite('source', { address: str(path), filter }),
    ...(timeout === undefined ? {} : { properties: map([[sym('com.microsoft:timeout'), timeout]]) }),
  });
}

function sessionFilter(sessionId: string | null): Encoded {
  return map([[SESSION_FILTER, sessionId === null ? NULL : str(sessionId)]]);
}

function bigOf(decoded: Decoded | undefined): bigint {
  if (decoded?.type !== 'long') throw new Error(`a long is expected, not ${decoded?.type ?? 'nothing'}`);
  return decoded.value;
}
