// A client of a queue `q` that requires sessions, frame by frame: asks for sessions on as many links as it likes, and hears which it got.

import type { Duplex } from 'node:stream';
import { conditionOf, creditFields, dispositionFields, receiverFields } from './endpoint-frames.js';
import { type FrameChannel, numberOf } from './frame-channel.js';
import type { Decoded } from './frame-decoder.js';
import { type Encoded, map, NULL, str, sym, TRUE, ubyte, uint } from './frame-encoder.js';
import type { Frame } from './frame-inbox.js';
import { attachSender, openSession, sendPieces } from './frame-links.js';
import { composite, type Fields, readList } from './frame-lists.js';
import { dataSection, entryOf, propertiesSection, ReceivedMessage } from './frame-message.js';

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

export type Granted = {
  readonly handle: number;
  readonly sessionId: string;
  /** Milliseconds since 1970. */
  readonly lockedUntil: number;
  readonly attach: Frame;
};

export type Refused = { readonly condition: string | undefined; readonly description: string };

export type SessionMessage = {
  readonly text: string;
  readonly handle: number;
  readonly deliveryId: number;
  readonly isSettled: boolean;
  readonly deliveryCount: number;
  /** In milliseconds; undefined when it is not locked. */
  readonly lockedUntil: number | undefined;
};

export class SessionClient {
  readonly channel: FrameChannel;
  readonly #duplex: Duplex;
  /** Our handles by the server's. */
  readonly #handles = new Map<number | undefined, number>();
  #sentCount = 0;

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
  async refused(): Promise<Refused> {
    const attach = await this.channel.take('attach', (frame) => frame.field('source')?.type === 'null');
    const serverHandle = numberOf(attach, 'handle');
    const detach = await this.channel.take('detach', (frame) => numberOf(frame, 'handle') === serverHandle);
    if (detach.writeIndex <= attach.writeIndex) throw new Error('attach and detach came in one write');
    return reasonOf(detach);
  }

  /** The next detach of ours that the server has begun. */
  async detached(): Promise<Refused> {
    return reasonOf(await this.channel.take('detach'));
  }

  give(credit: number, { handle = 0, used = 0, drain = false } = {}): void {
    const { nextIncomingId } = this.channel;
    this.channel.send('flow', creditFields(handle, credit, { deliveryCount: used, nextIncomingId, drain }));
  }

  async take(): Promise<SessionMessage> {
    const { transfer, deliveryId, isSettled, payload } = await this.channel.takeDelivery();
    const message = new ReceivedMessage(payload);
    const body = message.section('data')?.value;
    const lockedUntil = message.entry('messageAnnotations', 'x-opt-locked-until');
    return {
      text: body?.type === 'binary' ? body.value.toString() : '',
      handle: this.#handles.get(numberOf(transfer, 'handle')) ?? -1,
      deliveryId,
      isSettled,
      deliveryCount: Number(message.header('deliveryCount')?.value),
      lockedUntil: lockedUntil === undefined ? undefined : Number(lockedUntil.value),
    };
  }

  /** Settles a delivery and gives back the server's word on it. */
  settle({ deliveryId }: SessionMessage, state: Encoded = composite('accepted')): Promise<Frame> {
    this.channel.send('disposition', dispositionFields(deliveryId, deliveryId, { state }));
    return this.channel.take('disposition', (frame) => numberOf(frame, 'first') === deliveryId);
  }

  /** Closes a link, answered or not, and hears the answer. */
  async close(handle = 0): Promise<void> {
    this.channel.send('detach', { handle: uint(handle), closed: TRUE });
    await this.channel.take('detach');
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
    if (this.#sentCount === 0) await attachSender(this.channel, SENDER_HANDLE, 'q');
    for (const text of texts) {
      const pieces = [Buffer.concat([propertiesSection({ groupId: str(sessionId) }), dataSection(text)])];
      const outcome = await sendPieces(this.channel, SENDER_HANDLE, {
        pieces,
        deliveryId: this.#sentCount++,
      });
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

function reasonOf(detach: Frame): Refused {
  const error = detach.field('error');
  const description = error?.type === 'described' ? readList(error).field('description') : undefined;
  return { condition: conditionOf(detach), description: String(description?.value) };
}

function bigOf(decoded: Decoded | undefined): bigint {
  if (decoded?.type !== 'long') throw new Error(`a long is expected, not ${decoded?.type ?? 'nothing'}`);
  return decoded.value;
}
