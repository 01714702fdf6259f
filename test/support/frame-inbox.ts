// Frames that have come and have not been looked at yet, and the waiting for them: bounded, and without a clock.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Decoded } from './frame-decoder.js';
import type { ListName, ReadList } from './frame-lists.js';
import { notation } from './frame-notation.js';

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

type Rest = Pick<Frame, 'channel' | 'isSasl' | 'payload' | 'writeIndex'>;

export class FrameInbox {
  readonly #owner: string;
  readonly #frames: Frame[] = [];
  #end: string | undefined;

  constructor(owner: string) {
    this.#owner = owner;
  }

  static frame(read: ReadList, value: Decoded, rest: Rest): Frame {
    const payload = rest.payload.length > 0 ? ` + ${rest.payload.length} bytes` : '';
    const field = (name: string) => read.field(name);
    return {
      ...rest,
      name: read.name,
      positions: read.positions,
      field,
      text: `${notation(value)}${payload}`,
    };
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
