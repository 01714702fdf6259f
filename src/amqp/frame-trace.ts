// The frames of one connection as lines of the log, decoded from the bytes received and sent. Used only for `--log-level trace`.

import { describeFrame } from '../codec/frame-text.js';
import { FRAME_TYPE, type Frame, FrameReader } from '../codec/frames.js';
import type { TracedFrame } from '../watch/traced-frame.js';

/** Called with each frame and its line. */
export type FrameSink = (text: string, frame: TracedFrame) => void;

/** A larger frame ends the trace of its direction: neither side may send one. */
const MAX_FRAME_BYTES = 1024 * 1024;
/** The width of the first word of a line. */
const WORD_WIDTH = 12;
const HEADERS: Readonly<Record<number, string>> = { 0: 'AMQP', 2: 'TLS', 3: 'SASL' };

export class FrameTrace {
  readonly #received: (chunk: Buffer) => void;
  readonly #sent: (chunk: Buffer) => void;

  constructor(connectionId: number, write: FrameSink) {
    this.#received = follow({ connectionId, direction: 'received' }, write);
    this.#sent = follow({ connectionId, direction: 'sent' }, write);
  }

  received(chunk: Buffer): void {
    this.#received(chunk);
  }

  sent(chunks: readonly Buffer[]): void {
    for (const chunk of chunks) this.#sent(chunk);
  }
}

/** Returns a function that takes the bytes of one direction. It never throws: bytes that cannot be read are reported, and end the trace. */
function follow(
  { connectionId, direction }: Pick<TracedFrame, 'connectionId' | 'direction'>,
  write: FrameSink,
): (chunk: Buffer) => void {
  const reader = new FrameReader(MAX_FRAME_BYTES);
  let isReadable = true;
  const say = ({ channel, performative, payloadBytes = 0, text }: Seen) => {
    const place = channel === undefined ? `${connectionId}` : `${connectionId}/${channel}`;
    const line = `${direction.padEnd(WORD_WIDTH)}${place} ${text}`;
    write(line, { kind: 'frame', connectionId, direction, channel, performative, payloadBytes });
  };
  return (chunk) => {
    if (!isReadable) return;
    reader.push(chunk);
    try {
      for (let seen = next(reader); seen !== undefined; seen = next(reader)) say(seen);
    } catch (error) {
      isReadable = false;
      say({ text: `bytes that are no frame: ${error instanceof Error ? error.message : error}` });
    }
    reader.keep();
  };
}

type Seen = Partial<Pick<TracedFrame, 'channel' | 'performative' | 'payloadBytes'>> & {
  readonly text: string;
};

/** Undefined until the next header or frame is complete. */
function next(reader: FrameReader): Seen | undefined {
  if (reader.isAtProtocolHeader) {
    const header = reader.takeProtocolHeader();
    return header && { text: headerText(header) };
  }
  const frame = reader.takeFrame();
  return frame && seenIn(frame);
}

function seenIn(frame: Frame): Seen {
  const seen = describeFrame(frame);
  return frame.type === FRAME_TYPE.sasl ? seen : { ...seen, channel: frame.channel };
}

function headerText(header: Buffer): string {
  const [id = 0, major, minor, revision] = header.subarray(4);
  return `protocol header ${HEADERS[id] ?? id} ${major}.${minor}.${revision}`;
}
