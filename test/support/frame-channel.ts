// One channel of the frame client: the frames that it writes, those that have arrived, the wait for them, and the transfer counts.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Decoded } from './frame-decoder.js';
import type { Fields, ListName, ListShape } from './frame-lists.js';

/** Ample: over a memory pipe nearly everything happens within a few dozen turns of the event loop. */
const PATIENCE_TURNS = 40_000;
const SILENCE_TURNS = 50;

export type Frame = {
  readonly name: ListName | 'header';
  readonly channel: number;
  readonly isSasl: boolean;
  /** Fields by position, as many as were on the wire. */
  readonly positions: readonly Decoded[];
  /** By name; undefined when the list ended before it. */
  field(name: string): Decoded | undefined;
  readonly payload: Buffer;
  /** Counts the server's writes; frames of one write share it. */
  readonly writeIndex: number;
  /** For people. */
  readonly text: string;
};

export class FrameInbox {
  readonly #owner: string;
  readonly #frames: Frame[] = [];
  #end: string | undefined;

  constructor(owner: string) {
    this.#owner = owner;
  }

  put(frame: Frame): void {
    this.#frames.push(frame);
  }

  /** Nothing more will come. */
  end(reason: string): void {
    this.#end ??= reason;
  }

  /** The next frame, which must have this name. A flow that was not asked for may come at any time and is passed over. */
  async expect(name: Frame['name']): Promise<Frame> {
    const frame = await this.#wait(name, () => {
      while (name !== 'flow' && this.#frames[0]?.name === 'flow') this.#frames.shift();
      return this.#frames.shift();
    });
    if (frame.name === name) return frame;
    this.#frames.unshift(frame);
    throw new Error(`expected ${name} on ${this.#owner}, but the server wrote ${this.#described()}`);
  }

  /** The first frame of this name that matches, wherever it stands; others stay. */
  take(name: Frame['name'], matches: (frame: Frame) => boolean = () => true): Promise<Frame> {
    return this.#wait(name, () => {
      const index = this.#frames.findIndex((frame) => frame.name === name && matches(frame));
      return index < 0 ? undefined : this.#frames.splice(index, 1)[0];
    });
  }

  /** Waits long enough for an answer to have come, and there is none: flows aside unless they are the question. */
  async expectNothing(but: readonly Frame['name'][] = ['flow']): Promise<void> {
    for (let turn = 0; turn < SILENCE_TURNS; turn += 1) await nextTurn();
    const surprising = this.#frames.filter((frame) => !but.includes(frame.name));
    if (surprising.length > 0) {
      throw new Error(`expected nothing on ${this.#owner}, but the server wrote ${this.#described()}`);
    }
  }

  async #wait(name: string, take: () => Frame | undefined): Promise<Frame> {
    for (let turn = 0; turn < PATIENCE_TURNS; turn += 1) {
      const frame = take();
      if (frame !== undefined) return frame;
      if (this.#end !== undefined) break;
      await nextTurn();
    }
    const instead = this.#end ?? `the server wrote ${this.#described()}`;
    throw new Error(`expected ${name} on ${this.#owner}, but ${instead}`);
  }

  #described(): string {
    if (this.#frames.length === 0) return `nothing in ${PATIENCE_TURNS} turns`;
    return this.#frames.map((frame) => frame.text).join('; ');
  }
}

export type SendOptions = ListShape & { readonly payload?: Uint8Array };
type WriteFrame = <N extends ListName>(
  name: N,
  fields: Fields<N>,
  options: SendOptions & { channel: number },
) => void;

/** A message as the server transferred it, its frames put together. */
export type ReceivedDelivery = {
  /** The first frame: only it must have all fields. */
  readonly transfer: Frame;
  readonly deliveryId: number;
  readonly tag: Buffer;
  readonly isSettled: boolean;
  readonly payload: Buffer;
  readonly frameCount: number;
};

export class FrameChannel {
  readonly inbox: FrameInbox;
  readonly number: number;
  readonly #write: WriteFrame;
  #sentTransferCount = 0;
  #nextIncomingId = 0;

  constructor(number: number, write: WriteFrame) {
    this.number = number;
    this.#write = write;
    this.inbox = new FrameInbox(`channel ${number}`);
  }

  /** Transfer frames written so far. */
  get sentTransferCount(): number {
    return this.#sentTransferCount;
  }

  /** The transfer-id that the server's next transfer frame has. */
  get nextIncomingId(): number {
    return this.#nextIncomingId;
  }

  send<N extends ListName>(name: N, fields: Fields<N>, options: SendOptions = {}): void {
    if (name === 'transfer') this.#sentTransferCount += 1;
    this.#write(name, fields, { ...options, channel: this.number });
  }

  put(frame: Frame): void {
    if (frame.name === 'begin') this.#nextIncomingId = numberOf(frame, 'nextOutgoingId') ?? 0;
    if (frame.name === 'transfer') this.#nextIncomingId = (this.#nextIncomingId + 1) >>> 0;
    this.inbox.put(frame);
  }

  /** The next frame must have this name; flows are passed over unless one is asked for. */
  expect(name: Frame['name']): Promise<Frame> {
    return this.inbox.expect(name);
  }

  /** A frame of this name, wherever it stands among those that have come. */
  take(name: Frame['name'], matches?: (frame: Frame) => boolean): Promise<Frame> {
    return this.inbox.take(name, matches);
  }

  expectNothing(but?: readonly Frame['name'][]): Promise<void> {
    return this.inbox.expectNothing(but);
  }

  /** Takes the transfer frames of the next message. */
  async takeDelivery(): Promise<ReceivedDelivery> {
    const frames: Frame[] = [await this.take('transfer')];
    while (isTrue(frames.at(-1), 'more')) frames.push(await this.take('transfer'));
    const transfer = frames[0] as Frame;
    const tag = transfer.field('deliveryTag');
    return {
      transfer,
      deliveryId: numberOf(transfer, 'deliveryId') ?? -1,
      tag: tag?.type === 'binary' ? tag.value : Buffer.alloc(0),
      isSettled: isTrue(transfer, 'settled'),
      payload: Buffer.concat(frames.map(({ payload }) => payload)),
      frameCount: frames.length,
    };
  }
}

export function numberOf(frame: Frame, name: string): number | undefined {
  const field = frame.field(name);
  return typeof field?.value === 'number' ? field.value : undefined;
}

export function isTrue(frame: Frame | undefined, name: string): boolean {
  return frame?.field(name)?.value === true;
}
