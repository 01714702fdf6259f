// A connection by single frames: writes exactly the frames given, and returns exactly what the server wrote.

import type { Duplex } from 'node:stream';
import { type Frame, FrameChannel, FrameInbox, type SendOptions } from './frame-channel.js';
import { type Decoded, decodeAt } from './frame-decoder.js';
import { big } from './frame-encoder.js';
import { composite, type Fields, type ListName, readList } from './frame-lists.js';
import { notation } from './frame-notation.js';

export const PROTOCOL_HEADER = {
  amqp: Buffer.from('414d515000010000', 'hex'),
  sasl: Buffer.from('414d515003010000', 'hex'),
} as const;

const FRAME_TYPE = { amqp: 0, sasl: 1 } as const;
const HEADER_BYTES = 8;

/** A frame around its body. */
export function frameOf(body: Uint8Array, { channel = 0, type = FRAME_TYPE.amqp as number } = {}): Buffer {
  return Buffer.concat([big(HEADER_BYTES + body.length, 4), Buffer.of(2, type), big(channel, 2), body]);
}

export class FrameClient {
  /** Protocol headers, SASL frames, open, close, and whatever belongs to no channel of ours. */
  readonly inbox: FrameInbox;
  readonly #duplex: Duplex;
  readonly #channels = new Map<number, FrameChannel>();
  /** By the number the server writes on. */
  readonly #channelOfServer = new Map<number, FrameChannel>();
  #unread: Buffer = Buffer.alloc(0);
  #writeIndex = 0;

  constructor(duplex: Duplex) {
    this.#duplex = duplex;
    this.inbox = new FrameInbox('the connection');
    duplex.on('data', (chunk: Buffer) => this.#read(chunk));
    duplex.on('close', () => this.#ended('the server closed the connection'));
    duplex.on('end', () => this.#ended('the server closed the connection'));
    duplex.on('error', (error) => this.#ended(`the connection broke: ${error.message}`));
  }

  /** Bytes as they are: garbage too. */
  write(bytes: Uint8Array): void {
    this.#duplex.write(bytes);
  }

  /** Frames written by `act` reach the server in one piece, as from an SDK that pipelines. */
  inOneWrite(act: () => void): void {
    this.#duplex.cork();
    act();
    this.#duplex.uncork();
  }

  writeHeader(protocol: keyof typeof PROTOCOL_HEADER): void {
    this.write(PROTOCOL_HEADER[protocol]);
  }

  writeFrame(body: Uint8Array, { channel = 0, type = 'amqp' as keyof typeof FRAME_TYPE } = {}): void {
    this.write(frameOf(body, { channel, type: FRAME_TYPE[type] }));
  }

  send<N extends ListName>(
    name: N,
    fields: Fields<N>,
    options: SendOptions & { channel?: number } = {},
  ): void {
    const body = Buffer.concat([composite(name, fields, options), options.payload ?? Buffer.alloc(0)]);
    const type = name.startsWith('sasl-') ? 'sasl' : 'amqp';
    this.writeFrame(body, { channel: options.channel ?? 0, type });
  }

  /** The next frame of the connection itself must be this one. */
  expect(name: Frame['name']): Promise<Frame> {
    return this.inbox.expect(name);
  }

  async expectHeader(protocol: keyof typeof PROTOCOL_HEADER): Promise<void> {
    const { payload } = await this.inbox.expect('header');
    if (!payload.equals(PROTOCOL_HEADER[protocol])) {
      throw new Error(`expected the ${protocol} header, but the server wrote ${payload.toString('hex')}`);
    }
  }

  /** The client's view of one channel; the numbers are the client's. */
  channel(number: number): FrameChannel {
    let channel = this.#channels.get(number);
    if (channel === undefined) {
      channel = new FrameChannel(number, (name, fields, options) => this.send(name, fields, options));
      this.#channels.set(number, channel);
    }
    return channel;
  }

  /** The socket goes away without a word. */
  destroy(): void {
    this.#duplex.destroy();
  }

  #ended(reason: string): void {
    this.inbox.end(reason);
    for (const channel of this.#channels.values()) channel.inbox.end(reason);
  }

  #read(chunk: Buffer): void {
    this.#writeIndex += 1;
    this.#unread = Buffer.concat([this.#unread, chunk]);
    for (;;) {
      const size = this.#nextSize();
      if (size === undefined || this.#unread.length < size) return;
      const bytes = this.#unread.subarray(0, size);
      this.#unread = this.#unread.subarray(size);
      this.#route(bytes);
    }
  }

  #nextSize(): number | undefined {
    if (this.#unread.length < HEADER_BYTES) return undefined;
    return isProtocolHeader(this.#unread) ? HEADER_BYTES : this.#unread.readUInt32BE(0);
  }

  #route(bytes: Buffer): void {
    const frame = parse(bytes, this.#writeIndex);
    if (frame === undefined) return;
    if (frame.name === 'begin') this.#mapChannel(frame);
    const channel = frame.isSasl ? undefined : this.#channelOfServer.get(frame.channel);
    const isOfConnection = ['header', 'open', 'close'].includes(frame.name);
    if (channel === undefined || isOfConnection) {
      this.inbox.put(frame);
      if (frame.name === 'close') this.#tellChannels(frame);
    } else {
      channel.put(frame);
      if (frame.name === 'end') this.#channelOfServer.delete(frame.channel);
    }
  }

  #mapChannel(begin: Frame): void {
    const remote = begin.field('remoteChannel');
    if (remote?.type === 'ushort') this.#channelOfServer.set(begin.channel, this.channel(remote.value));
  }

  #tellChannels(close: Frame): void {
    for (const channel of this.#channels.values()) channel.inbox.end(`the server wrote ${close.text}`);
  }
}

function isProtocolHeader(bytes: Buffer): boolean {
  return bytes.toString('ascii', 0, 4) === 'AMQP';
}

/** undefined for an empty frame: a heartbeat. */
function parse(bytes: Buffer, writeIndex: number): Frame | undefined {
  const nothing = { positions: [] as Decoded[], field: () => undefined };
  if (isProtocolHeader(bytes)) {
    return {
      ...nothing,
      name: 'header',
      channel: 0,
      isSasl: false,
      payload: bytes,
      writeIndex,
      text: 'a header',
    };
  }
  const start = bytes.readUInt8(4) * 4;
  if (start >= bytes.length) return undefined;
  const { value, next } = decodeAt(bytes, start);
  const read = readList(value);
  const payload = bytes.subarray(next);
  return {
    name: read.name,
    channel: bytes.readUInt16BE(6),
    isSasl: bytes.readUInt8(5) === FRAME_TYPE.sasl,
    positions: read.positions,
    field: (name) => read.field(name),
    payload,
    writeIndex,
    text: `${notation(value)}${payload.length > 0 ? ` + ${payload.length} bytes` : ''}`,
  };
}
