// rhea's own frame reader and writer, as the other side of our codec in tests.

import { createRequire } from 'node:module';

type Fields = Readonly<Record<string, unknown>>;

export type RheaFrame = {
  readonly channel: number;
  readonly type: number;
  readonly performative: Fields;
  readonly payload?: Buffer;
};

type RheaFrames = {
  read_frame(bytes: Buffer): RheaFrame;
  write_frame(frame: object): Buffer;
  amqp_frame(channel: number, performative: unknown, payload?: Buffer): object;
  sasl_frame(performative: unknown): object;
} & Readonly<Record<string, (fields: Fields) => unknown>>;

const frames = createRequire(import.meta.url)('rhea/lib/frames.js') as RheaFrames;

/** The fields that rhea reads, nulls and all. */
export function readByRhea(bytes: Buffer): RheaFrame {
  return frames.read_frame(bytes);
}

/** `name` is rhea's, such as `sasl_init`. */
export function writeByRhea(name: string, fields: Fields, channel = 0): Buffer {
  const performative = frames[name]?.(fields);
  return frames.write_frame(
    name.startsWith('sasl')
      ? frames.sasl_frame(performative)
      : frames.amqp_frame(channel, performative, undefined),
  );
}
