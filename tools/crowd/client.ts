// The attackers' clients: rhea, an AMQP client of single frames that reads only when it is asked to, and HTTP requests.

import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import rhea from 'rhea';
import WebSocket, { createWebSocketStream } from 'ws';
import { frameOf, PROTOCOL_HEADER } from '../../test/support/frame-client.js';
import { decodeAt } from '../../test/support/frame-decoder.js';
import { bin, str, uint } from '../../test/support/frame-encoder.js';
import { beginFields, senderFields } from '../../test/support/frame-fields.js';
import {
  composite,
  type Fields,
  type ListName,
  type ReadList,
  readList,
} from '../../test/support/frame-lists.js';
import { section } from '../../test/support/frame-message.js';

/** A way into the port. */
export type Door = 'tcp' | 'websocket';

export const HOST = '127.0.0.1';
/** Any key is accepted. */
export const AUTHORIZATION = 'SharedAccessSignature sr=any&sig=any&se=9999999999&skn=any';
const SOCKET_PATH = '/$servicebus/websocket';
const FRAME_HEADER_BYTES = 8;
/** The format of a batch in one transfer. */
const BATCH_FORMAT = 0x80013700;
const DRAIN_LIMIT_MS = 5000;

/** `properties` are those of its open. */
export function openConnection(
  port: number,
  door: Door = 'tcp',
  properties: Readonly<Record<string, boolean>> = {},
): rhea.Connection {
  const container = rhea.create_container();
  // What an attack does not listen for is not worth a line on the console.
  for (const event of ['disconnected', 'connection_error', 'sender_error', 'receiver_error', 'error']) {
    container.on(event, () => {});
  }
  const options = { host: HOST, port, username: 'any', password: 'any', reconnect: false, properties };
  if (door === 'tcp') return container.connect(options);
  const details = container.websocket_connect(WebSocket)(
    `ws://${HOST}:${port}${SOCKET_PATH}`,
    ['AMQPWSB10'],
    {},
  );
  return container.connect({ ...options, connection_details: details } as unknown as rhea.ConnectionOptions);
}

/** rhea's types leave the socket out. */
export function socketOf(connection: rhea.Connection): Socket {
  return (connection as unknown as { readonly socket: Socket }).socket;
}

export async function openSender(connection: rhea.Connection, address: string): Promise<rhea.Sender> {
  const sender = connection.open_sender(address);
  await once(sender, 'sendable');
  return sender;
}

/** Sends encoded messages as one batch. Resolves when it is accepted, rejects when it is not. */
export async function sendBatch(sender: rhea.Sender, messages: readonly Buffer[]): Promise<void> {
  const payload = Buffer.concat(messages.map((message) => section('data', bin(message))));
  (sender as unknown as { send(payload: Buffer, tag: undefined, format: number): void }).send(
    payload,
    undefined,
    BATCH_FORMAT,
  );
  const outcome = await firstOf(sender, 'accepted', 'rejected', 'sender_close');
  if (outcome !== 'accepted') throw new Error(`the batch was answered with ${outcome}`);
}

/** The event of these that comes first, or `error`. */
export async function firstOf(emitter: NodeJS.EventEmitter, ...events: readonly string[]): Promise<string> {
  const ended = new AbortController();
  const { signal } = ended;
  const coming = events.map((event) =>
    once(emitter, event, { signal }).then(
      () => event,
      () => 'error',
    ),
  );
  const first = await Promise.race(coming);
  ended.abort();
  return first;
}

/** A stream of bytes, not yet connected: what is written waits. */
export function openDuplex(port: number, door: Door = 'tcp'): Duplex {
  const duplex =
    door === 'tcp'
      ? connect({ host: HOST, port })
      : createWebSocketStream(new WebSocket(`ws://${HOST}:${port}${SOCKET_PATH}`, ['AMQPWSB10']));
  return duplex.on('error', () => {});
}

/** Resolves when what was written has gone, or nobody takes it. */
export async function drained(duplex: Duplex, limitMs = DRAIN_LIMIT_MS): Promise<void> {
  if (!duplex.writableNeedDrain) return;
  await Promise.race([firstOf(duplex, 'drain', 'close'), sleep(limitMs, undefined, { ref: false })]);
}

/** An AMQP client of single frames. It waits for no answer and reads none, unless it is asked for one. */
export class FramePeer {
  readonly duplex: Duplex;
  #unread = Buffer.alloc(0);

  /** Its connection has a session on channel 0. */
  constructor(duplex: Duplex, open: Fields<'open'> = {}) {
    this.duplex = duplex;
    duplex.write(PROTOCOL_HEADER.amqp);
    this.send('open', { containerId: str('crowd'), maxFrameSize: uint(65_536), ...open });
    this.begin(0);
  }

  begin(channel: number): void {
    this.send('begin', beginFields(), { channel });
  }

  send<N extends ListName>(
    name: N,
    fields: Fields<N>,
    { payload = Buffer.alloc(0), channel = 0 }: { payload?: Buffer; channel?: number } = {},
  ): void {
    this.duplex.write(frameOf(Buffer.concat([composite(name, fields), payload]), { channel }));
  }

  attachSender(
    handle: number,
    address: string,
    { channel = 0, ...more }: Fields<'attach'> & { channel?: number } = {},
  ): void {
    const target = composite('target', { address: str(address) });
    this.send('attach', senderFields(handle, { target, ...more }), { channel });
  }

  /** Reads until a frame of this name comes. */
  async answer(name: ListName): Promise<ReadList> {
    for (;;) {
      const frame = this.#nextFrame();
      if (frame?.name === name) return frame;
      if (frame !== undefined) continue;
      const chunk: Buffer | null = this.duplex.read();
      if (chunk !== null) this.#unread = Buffer.concat([this.#unread, chunk]);
      else if (this.duplex.destroyed) throw new Error(`the connection was closed before ${name} came`);
      else await firstOf(this.duplex, 'readable', 'close');
    }
  }

  #nextFrame(): ReadList | undefined {
    for (;;) {
      if (this.#unread.length < FRAME_HEADER_BYTES) return undefined;
      const isHeader = this.#unread.toString('latin1', 0, 4) === 'AMQP';
      const size = isHeader ? FRAME_HEADER_BYTES : this.#unread.readUInt32BE(0);
      if (this.#unread.length < size) return undefined;
      const bytes = this.#unread.subarray(0, size);
      this.#unread = this.#unread.subarray(size);
      if (!isHeader && size > FRAME_HEADER_BYTES)
        return readList(decodeAt(bytes, bytes.readUInt8(4) * 4).value);
    }
  }
}

export type Asked = {
  readonly method?: string;
  /** As it is on the wire. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
};
/** The status is 0 if the connection ends without an answer. */
export type Answered = { readonly status: number; readonly text: string; readonly tookMs: number };

/** A request over HTTP, with a token. */
export function ask(port: number, { method = 'GET', path, headers = {}, body }: Asked): Promise<Answered> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, text: string) => {
      resolve({ status, text, tookMs: performance.now() - startedAt });
    };
    const all = { authorization: AUTHORIZATION, ...headers };
    const asked = request({ host: HOST, port, method, path, headers: all, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('error', () => {}).on('close', () => end(answer.statusCode ?? 0, text));
    });
    asked.on('error', () => end(0, '')).end(body);
  });
}

/** A call of the control interface. */
export function control(port: number, path: string, body?: unknown): Promise<Answered> {
  const given = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return ask(port, {
    path: `/$jitney/v1/${path}`,
    headers: { 'content-type': 'application/json' },
    ...given,
  });
}
