// One channel of the frame client: sends on it, reads from it, and keeps the counts that flow frames ask for.

import type { FrameClient, SendOptions } from './frame-client.js';
import { type Frame, FrameInbox } from './frame-inbox.js';
import type { Fields, ListName } from './frame-lists.js';

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
  readonly #client: FrameClient;
  #sentTransferCount = 0;
  #nextIncomingId = 0;

  constructor(client: FrameClient, number: number) {
    this.#client = client;
    this.number = number;
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
    this.#client.send(name, fields, { ...options, channel: this.number });
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
