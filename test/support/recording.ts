// A recording of an SDK's connections as text: a line for each frame, with its time, its direction and its bytes.

import { type Frame, FrameReader } from '../../src/codec/frames.js';
import { readPerformative } from '../../src/codec/performatives.js';

export type Direction = 'client' | 'server';

export type RecordedFrame = {
  /** Since the recording began. Frames of one direction of a connection share it when they came in one read. */
  readonly timeMs: number;
  /** Counted from 1, in the order in which the client opened them. */
  readonly connection: number;
  readonly from: Direction;
  /** A whole frame, or a protocol header. */
  readonly bytes: Buffer;
};

export type Recording = {
  /** The library with its version. */
  readonly library: string;
  /** When the recording began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly frames: readonly RecordedFrame[];
};

const ARROWS = { client: '>', server: '<' } as const;
const HEADING = /^# (.+), recorded on (\S+)$/;
const LINE = /^(\d+) (\d+) ([<>]) \d+ ([a-z-]+) ([0-9a-f]+)$/;
/** A protocol header is as long as a frame's own. */
const HEADER_BYTES = 8;
const MAX_FRAME_SIZE = 1024 * 1024;

export function writeRecording({ library, startedAt, frames }: Recording): string {
  const lines = frames.map(({ timeMs, connection, from, bytes }) => {
    const channel = isProtocolHeader(bytes) ? 0 : splitFrame(bytes).channel;
    return `${timeMs} ${connection} ${ARROWS[from]} ${channel} ${kindOf(bytes)} ${bytes.toString('hex')}`;
  });
  return `${[
    `# ${library}, recorded on ${new Date(startedAt).toISOString()}`,
    '# by `npm run measure -- record`: milliseconds, connection, > from the client or < from Jitney, channel, kind, the whole frame',
    ...lines,
  ].join('\n')}\n`;
}

export function readRecording(text: string): Recording {
  const [heading = '', , ...lines] = text.trimEnd().split('\n');
  const [, library, startedAt] = HEADING.exec(heading) ?? [];
  if (library === undefined || startedAt === undefined) {
    throw new Error(`a recording starts with "# <library>, recorded on <time>", not with "${heading}"`);
  }
  return { library, startedAt: Date.parse(startedAt), frames: lines.map(readLine) };
}

function readLine(line: string): RecordedFrame {
  const [, timeMs, connection, arrow, kind, hex = ''] = LINE.exec(line) ?? [];
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length === 0 || kindOf(bytes) !== kind) {
    throw new Error(`a recorded frame is "<ms> <connection> <arrow> <channel> <kind> <hex>", not "${line}"`);
  }
  const from = arrow === ARROWS.client ? 'client' : 'server';
  return { timeMs: Number(timeMs), connection: Number(connection), from, bytes };
}

/** The kind of its performative, `header` of a protocol header, and `heartbeat` of an empty frame. */
export function kindOf(bytes: Buffer): string {
  if (isProtocolHeader(bytes)) return 'header';
  const { body } = splitFrame(bytes);
  return body.length === 0 ? 'heartbeat' : readPerformative(body).performative.kind;
}

/** The parts of a whole frame; not for a protocol header. */
export function splitFrame(bytes: Buffer): Frame {
  const reader = new FrameReader(MAX_FRAME_SIZE);
  reader.push(bytes);
  const frame = reader.takeFrame();
  if (frame === undefined) throw new Error(`${bytes.toString('hex')} is no whole frame`);
  return frame;
}

export function isProtocolHeader(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'AMQP';
}

/** Cuts one direction of a connection into frames and protocol headers, whatever the size of the chunks it comes in. */
export function cutFrames(): (chunk: Buffer) => readonly Buffer[] {
  let unread: Buffer = Buffer.alloc(0);
  return (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    const frames: Buffer[] = [];
    while (unread.length >= HEADER_BYTES) {
      const size = isProtocolHeader(unread) ? HEADER_BYTES : unread.readUInt32BE(0);
      if (unread.length < size) break;
      frames.push(unread.subarray(0, size));
      unread = unread.subarray(size);
    }
    return frames;
  };
}
